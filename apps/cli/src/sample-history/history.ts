/** A made-up C project: its functions, and its history as a log that is read top to bottom. */
export interface SampleProject {
  name: string;
  /** Seconds since 1970 of the first commit. */
  start: number;
  /** The hash of the last commit: the same on every machine. */
  head: string;
  authors: readonly { name: string; email: string; offset: string }[];
  /** Texts in blocks that start with a line `=== KEY`: a function, a pair of `#ifdef` twins, or the head of a file. */
  sources: string;
  /**
   * One commit a line, fields between ` :: `, `\n` for a line break:
   *
   *     add FILE KEY... :: SUBJECT                    append these blocks to the file
   *     edit KEY[,KEY] :: SUBJECT :: OLD => NEW       in each block (`*`: in every block that has OLD)
   *     topic NAME KEY :: SUBJECT :: OLD => NEW       the same, on a side branch
   *     merge NAME :: SUBJECT                         bring the side branch in
   *     bad NAME KEY :: SUBJECT :: OLD => NEW         an edit that later lines can name
   *     undo SHAPE NAME[,NAME] :: REASON              take named commits back, the message in one of `revertShapes`
   *     redo NAME :: REASON                           land a commit that was taken back again
   *     rename OLD NEW :: SUBJECT                     an identifier, in every file
   *     move OLD NEW :: SUBJECT                       a file
   */
  log: string;
}

export interface Commit {
  /** Line of the log, 0-based: what dates and authors are taken from. */
  index: number;
  /** Written on a side branch, or joins one. */
  branch: 'main' | 'topic' | 'merge';
  /** A word of the log by which others refer to this commit. */
  name: string | undefined;
  /** `{NAME}` stands for the hash of a named commit, `{NAME.parent}` for its parent's, `{NAME:12}` for the first 12 digits. */
  message: string;
  /** New contents of files; `undefined` removes one. */
  files: Map<string, string | undefined>;
}

interface Edit {
  subject: string;
  keys: string[];
  old: string;
  new: string;
}

/** How a message may tell that commits are taken back. The last three give a reader or a parser too little to go by. */
const revertShapes = {
  this: ([name], subject, reason) => `Revert "${subject}"\n\nThis reverts commit {${name}}.\n\n${reason}`,
  short: ([name], subject, reason) => `revert {${name}:12} ("${subject}")\n\n${reason}`,
  inline: ([name], _, reason) => `${reason}\n\nReverted commit {${name}:10} to get the old behaviour back.`,
  list: (names, _, reason) => `Revert recent changes\n\nThis reverts commits ${join(names)}.\n\n${reason}`,
  trailer: (names, _, reason) => `${reason}\n\n${names.map((name) => `Reverts: {${name}}`).join('\n')}`,
  merge: ([name], subject, reason) =>
    `Revert "${subject}"\n\nThis reverts commit {${name}}, reversing\nchanges made to {${name}.parent}.\n\n${reason}`,
  bare: ([name], subject) => `Revert "${subject}"\n\nThis reverts commit {${name}}.`,
  quoted: (_names, subject) => `Revert "${subject}"`,
  words: (_names, _subject, reason) => reason,
} satisfies Record<string, (names: string[], subject: string, reason: string) => string>;

/** Plays a project's log and yields its commits in order. */
export function* commitsOf(project: SampleProject): Generator<Commit, void, undefined> {
  const sources = parseSources(project.sources);
  const files = new Map<string, Map<string, string>>();
  const named = new Map<string, Edit>();
  const lines = project.log.trim().split('\n');

  for (const [index, line] of lines.entries()) {
    const [head = '', text = '', change = ''] = line.split(' :: ').map((field) => field.replaceAll('\\n', '\n'));
    const [verb = '', ...words] = head.split(' ');
    const commit: Commit = { index, branch: 'main', name: undefined, message: text, files: new Map() };
    const before = render(files);
    const fail = (what: string) => new Error(`${project.name}, line ${index + 1} of the log: ${what}: ${line}`);

    const replace = (keys: string[], from: string, to: string): void => {
      let blocks = 0;
      for (const content of files.values()) {
        for (const [key, block] of content) {
          if (!(keys.includes(key) || (keys[0] === '*' && block.includes(from)))) continue;
          if (keys[0] !== '*' && block.split(from).length !== 2) throw fail(`"${from}" is not there exactly once`);
          content.set(key, block.replaceAll(from, to));
          blocks++;
        }
      }
      if (blocks < keys.length) throw fail('no such block');
    };
    const edit = (name: string | undefined, keys = ''): void => {
      const [old = '', replacement = ''] = change.split(' => ');
      replace(keys.split(','), old, replacement);
      commit.name = name;
      if (name) named.set(name, { subject: text, keys: keys.split(','), old, new: replacement });
    };
    const recall = (name: string): Edit => {
      const found = named.get(name);
      if (!found) throw fail(`no commit called ${name}`);
      return found;
    };

    switch (verb) {
      case 'add': {
        const [path = '', ...keys] = words;
        const content = files.get(path) ?? new Map<string, string>();
        for (const key of keys) content.set(key, sources.get(key)!);
        files.set(path, content);
        break;
      }
      case 'edit':
        edit(undefined, words[0]);
        break;
      case 'topic':
        commit.branch = 'topic';
        edit(words[0], words[1]);
        break;
      case 'merge':
        commit.branch = 'merge';
        commit.name = `merge-of-${words[0]}`;
        named.set(commit.name, { ...recall(words[0]!), subject: text });
        break;
      case 'bad':
        edit(words[0], words[1]);
        break;
      case 'undo': {
        const names = words[1]!.split(',');
        for (const { keys, new: from, old: to } of names.map(recall)) replace(keys, from, to);
        const message = revertShapes[words[0] as keyof typeof revertShapes];
        commit.message = message(names, recall(names[0]!).subject, text);
        commit.name = `undo-of-${names[0]}`;
        break;
      }
      case 'redo': {
        const { subject, keys, old: from, new: to } = recall(words[0]!);
        replace(keys, from, to);
        commit.message = `Revert "Revert "${subject}""\n\nThis reverts commit {undo-of-${words[0]}}.\n\n${text}`;
        break;
      }
      case 'rename': {
        const identifier = new RegExp(`\\b${words[0]}\\b`, 'g');
        for (const content of files.values()) {
          for (const [key, block] of content) content.set(key, block.replace(identifier, words[1]!));
        }
        break;
      }
      case 'move':
        files.set(words[1]!, files.get(words[0]!)!);
        files.delete(words[0]!);
        break;
      default:
        throw fail('unknown verb');
    }

    const after = render(files);
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(path) !== after.get(path)) commit.files.set(path, after.get(path));
    }
    yield commit;
  }
}

function parseSources(text: string): Map<string, string> {
  const blocks = text.split(/^=== /m).slice(1);
  return new Map(
    blocks.map((block) => {
      const end = block.indexOf('\n');
      return [block.slice(0, end), block.slice(end + 1).trim()];
    }),
  );
}

function render(files: Map<string, Map<string, string>>): Map<string, string> {
  return new Map([...files].map(([path, blocks]) => [path, `${[...blocks.values()].join('\n\n')}\n`]));
}

function join(names: string[]): string {
  return names.map((name, i) => `${i === 0 ? '' : i === names.length - 1 ? ' and ' : ', '}{${name}:12}`).join('');
}
