const batchLength = 1 << 18;

/** Joins short texts into pieces of about 256 KiB of UTF-8. */
export async function* inBatches(
  texts: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<Buffer, void, undefined> {
  let pending: string[] = [];
  let length = 0;
  for await (const text of texts) {
    pending.push(text);
    length += text.length;
    if (length < batchLength) continue;
    yield Buffer.from(pending.join(''));
    pending = [];
    length = 0;
  }
  if (length > 0) yield Buffer.from(pending.join(''));
}
