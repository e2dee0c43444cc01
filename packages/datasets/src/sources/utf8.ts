import { RedefError } from '@redef/core';

/**
 * Turns text of a declared encoding into UTF-8; UTF-8 itself passes unchecked, as the readers check it where they know
 * the line. UTF-16 is recognised by its byte order mark; every other encoding must be named, since a wrong guess damages
 * text without a trace.
 *
 * @param encoding a label of the WHATWG Encoding Standard: `utf-8`, `windows-1252`, `gb18030`
 * @throws `RedefError` `invalid-encoding` or `unknown-encoding`
 */
export function toUtf8(
  source: AsyncIterable<Uint8Array>,
  head: Uint8Array,
  encoding: string,
  name: string,
): AsyncIterable<Uint8Array> {
  const label = utf16Label(head) ?? encoding;
  return /^utf-?8$/i.test(label) ? source : transcode(source, label, name);
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
  const decode = (bytes?: Uint8Array): Buffer => {
    try {
      return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch (cause) {
      throw new RedefError(`${name}: bytes that are not ${label}`, {
        code: 'invalid-encoding',
        remedy: "Name the file's encoding, for example encoding: 'windows-1252'.",
        cause,
      });
    }
  };
  for await (const chunk of source) yield decode(chunk);
  yield decode();
}

function utf16Label(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}
