import { RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import { requireOptions, requirePath } from './checks.js';
import { fileBytes } from './sources/byte-source.js';

/** One line of each of two aligned files. */
export interface Pair {
  source: string;
  target: string;
}

/**
 * Reads two text files whose lines belong together, as the `.buggy` and `.fixed` files of CodeXGLUE's code refinement
 * do. Lines end as Python ends them: at LF, CR LF or CR.
 *
 * @throws `RedefError` `pairs-misaligned` where one file has more lines, `invalid-encoding` for what is not UTF-8
 */
export async function* readPairs(
  sourcePath: string,
  targetPath: string,
  options: Pick<RunOptions, 'signal'> = {},
): AsyncGenerator<Pair, void, undefined> {
  requireOptions(options);
  const { signal } = options;
  requirePath(sourcePath);
  requirePath(targetPath);
  const sources = lines(sourcePath, signal);
  const targets = lines(targetPath, signal);
  try {
    for (let line = 1; ; line++) {
      throwIfAborted(signal);
      const [source, target] = await Promise.all([sources.next(), targets.next()]);
      if (source.done && target.done) return;
      if (source.done || target.done) {
        const [shorter, longer] = source.done ? [sourcePath, targetPath] : [targetPath, sourcePath];
        throw new RedefError(`${shorter} ends before line ${line}, ${longer} goes on`, {
          code: 'pairs-misaligned',
          remedy: 'Check that the two files belong together and that both were written to their end.',
        });
      }
      yield { source: source.value, target: target.value };
    }
  } finally {
    await Promise.all([sources.return(), targets.return()]);
  }
}

async function* lines(path: string, signal: AbortSignal | undefined): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 0;
  let rest = '';
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new RedefError(`${path}, after line ${line}: bytes that are not UTF-8`, {
        code: 'invalid-encoding',
        remedy: 'Convert the file to UTF-8 first: iconv -f windows-1252 -t utf-8 FILE',
        cause,
      });
    }
  };
  for await (const chunk of fileBytes(path, () => {}, signal)) {
    const parts = (rest + decode(chunk)).split(/\r\n|\n|\r(?!$)/); // a CR at the end may have its LF to come
    rest = parts.pop()!;
    for (const part of parts) {
      line++;
      yield part;
    }
  }
  rest += decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}
