import { createRng } from '@redef/core';

const statements = [
  'if (!dev->queue || dev->flags & DEV_SUSPENDED) {',
  '\tret = copy_from_user(buf, (void __user *)arg, sizeof(*buf));',
  '\tspin_lock_irqsave(&dev->lock, flags);',
  '\tfor (i = 0; i < ARRAY_SIZE(table); i++) {',
  '\t\tlist_for_each_entry_safe(entry, next, &dev->entries, node)',
  '\t\tlog_error("unexpected state %d for \'%s\'", state, name);',
  '\t}',
  '}',
  '',
  '\t/* The caller holds the lock: see the comment above. */',
  '\treturn av_rescale_q(pts, st->time_base, AV_TIME_BASE_Q);',
  '\tgoto out_unlock;',
  '\tstd::unique_ptr<Node> node = std::make_unique<Node>(parent, depth + 1);',
];

/** A C-like function of `lines` lines, each statement with names and numbers of its own now and then. */
function functionOf(lines, rng) {
  const body = Array.from({ length: lines - 3 }, () => {
    const statement = statements[rng.integer(statements.length)];
    return rng.next() < 0.5 ? statement : `${statement} /* ${rng.integer(1e6).toString(36)} */`;
  });
  return [`static int handle_${rng.integer(1e6)}(struct device *dev, unsigned long arg)`, '{', ...body, '}'];
}

/** Changes of functions of about `lines` lines, each edited in one to five places. The same for the same arguments. */
export function* generateChanges({ count, lines, seed = 1 }) {
  const rng = createRng(seed);
  for (let i = 0; i < count; i++) {
    const before = functionOf(Math.max(4, Math.round(lines * (0.3 + 1.4 * rng.next()))), rng);
    const after = [...before];
    for (let edit = 1 + rng.integer(5); edit > 0; edit--) {
      const inserted = functionOf(4 + rng.integer(4), rng).slice(2, -1);
      after.splice(2 + rng.integer(after.length - 2), rng.integer(4), ...inserted);
    }
    yield {
      id: i.toString(16).padStart(16, '0'),
      function_before: before.join('\n'),
      function_after: after.join('\n'),
    };
  }
}
