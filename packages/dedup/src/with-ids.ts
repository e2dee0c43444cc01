import type { DataAudit } from './auditor.js';
import type { GroupLeaks } from './leaks.js';
import type { RowIds } from './row-ids.js';
import type { RowRef } from './rows.js';

/** The audit with the `id` of every row that it names, so that each can be found in the tables the rows came from. */
export function withIds(audit: DataAudit, ids: RowIds): DataAudit {
  const names = Object.keys(audit.sets);
  if (!names.some((_name, set) => ids.has(set))) return audit;
  const last = names.length - 1;
  const named = (ref: RowRef): RowRef => ids.name(ref, names);
  const idsOf = <Name extends string>(set: number, rows: Readonly<Partial<Record<Name, number[]>>>) =>
    Object.fromEntries(
      Object.entries<number[] | undefined>(rows).map(([name, numbers]) => [
        name,
        (numbers ?? []).flatMap((row) => ids.get(set, row) ?? []),
      ]),
    ) as Record<Name, string[]>;
  const shared = (leaks: GroupLeaks): GroupLeaks => ({
    ...leaks,
    examples: leaks.examples.map(({ value, at }) => ({ value, at: at.map(named) })),
  });
  const { contradictionsBy, leaks, quality, near, leakedRows } = audit;
  return {
    ...audit,
    contradictionsBy: contradictionsBy.map((found) => ({
      ...found,
      examples: found.examples.map(({ labels }) => ({
        labels: labels.map(({ label, at }) => ({ label, at: named(at) })),
      })),
    })),
    leaks: {
      ...leaks,
      ...(leaks.commits && { commits: shared(leaks.commits) }),
      ...(leaks.functions && { functions: shared(leaks.functions) }),
      ...(leaks.time && {
        time: leaks.time.map((order) => ({
          ...order,
          examples: order.examples.map(({ at, newer }) => ({ at: named(at), newer: named(newer) })),
        })),
      }),
    },
    quality: Object.fromEntries(
      Object.entries(quality).map(([name, found]) => {
        const set = names.indexOf(name);
        return [name, { ...found, ...(ids.has(set) && { exampleIds: idsOf(set, found.examples) }) }];
      }),
    ),
    ...(near && {
      near: {
        ...near,
        clusters: near.clusters.map((cluster) => ({ ...cluster, rows: cluster.rows.map(named) })),
        links: near.links.map((link) => ({ ...link, first: named(link.first), second: named(link.second) })),
      },
    }),
    ...(ids.has(last) && { leakedIds: idsOf(last, leakedRows) }),
  };
}
