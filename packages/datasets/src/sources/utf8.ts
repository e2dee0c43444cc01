import { isUtf8 } from 'node:buffer';
import { RedefError } from '@redef/core';

const newline = 0x0a;

/**
 * Passes valid UTF-8 on as it is and turns another declared encoding into it. UTF-16 is recognised by its byte order
 * mark; every other encoding must be named, since a wrong guess damages text without a trace.
 *
 * @param encoding a label of the WHATWG Encoding Standard: `utf-8`, `windows-1252`, `gb18030`
 * @param checkedLater the reader that follows refuses invalid UTF-8 itself
 * @throws `RedefError` `invalid-encoding` with `name:line`, or `unknown-encoding`
 */
export async function* toUtf8(
  source: AsyncIterable<Uint8Array>,
  head: Uint8Array,
  encoding: string,
  name: string,
  checkedLater: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  const label = utf16Label(head) ?? encoding;
  if (!/^utf-?8$/i.test(label)) yield* transcode(source, label, name);
  else yield* checkedLater ? source : checkUtf8(source, name);
}

async function* checkUtf8(source: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let line = 1;
  let carried: Uint8Array = new Uint8Array(0); // a character that a chunk boundary cuts
  const check = (bytes: Uint8Array): Uint8Array => {
    if (!isUtf8(bytes)) throw invalid(name, line + newlinesBeforeDamage(bytes), 'UTF-8');
    return bytes;
  };
  for await (const chunk of source) {
    const bytes = carried.length > 0 ? Buffer.concat([carried, chunk]) : chunk;
    const end = completeLength(bytes);
    carried = bytes.subarray(end);
    const whole = check(bytes.subarray(0, end));
    yield whole;
    line += count(whole, newline);
  }
  if (carried.length > 0) check(carried);
}

async function* transcode(source: AsyncIterable<Uint8Array>, label: string, name: string): AsyncGenerator<Uint8Array> {
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(label, { fatal: true });
  } catch (cause) {
    throw new RedefError(`no such encoding: ${label}`, {
      code: 'unknown-encoding',
      remedy: 'Name one of the Encoding Standard: utf-8, windows-1252, gb18030, ...',
      cause,
    });
  }
  let line = 1;
  const decode = (bytes?: Uint8Array): Buffer => {
    try {
      return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch {
      throw invalid(name, line, label);
    }
  };
  for await (const chunk of source) {
    const bytes = decode(chunk);
    yield bytes;
    line += count(bytes, newline);
  }
  yield decode();
}

function utf16Label(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

/** Length without a last character that is not all there; at most 3 bytes less. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function count(bytes: Uint8Array, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) found++;
  return found;
}

function newlinesBeforeDamage(bytes: Uint8Array): number {
  let lines = 0;
  let start = 0;
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break;
    lines++;
    start = end + 1;
  }
  return lines;
}

function invalid(name: string, line: number, label: string): RedefError {
  return new RedefError(`${name}:${line}: bytes that are not ${label}`, {
    code: 'invalid-encoding',
    remedy: "Name the file's encoding, for example encoding: 'windows-1252'.",
  });
}
