const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export type Field = string | null;

/** Why a record cannot be read, and where in the bytes. */
export interface ScanFailure {
  at: number;
  what: 'text-after-quote' | 'quote-not-closed';
}

/**
 * Reads RFC 4180 records out of bytes, one at a time. Long quoted texts are passed over by a native search for the next
 * quote, so the cost lies in making the strings. A field without a character is null, `""` is the empty text. A record
 * ends at LF, CR LF or CR, as for pandas; inside a field that is not quoted a quote stands for itself.
 */
export class RecordScanner {
  fields: Field[] = [];
  /** Where the record ends and the next one begins, once `scan` was true. */
  end = 0;
  next = 0;
  failure: ScanFailure | undefined;

  /** @param delimiter its byte */
  constructor(private readonly delimiter: number) {}

  /**
   * @param final no more bytes will come
   * @returns false where the record does not end in these bytes, and where it fails
   */
  scan(bytes: Buffer, start: number, final: boolean): boolean {
    const fields: Field[] = [];
    let at = start;
    for (;;) {
      const opened = bytes[at] === quote;
      const end = opened ? this.#quotedEnd(bytes, at, final) : this.#plainEnd(bytes, at, final);
      if (end < 0) return false;
      const terminator = bytes[end];
      if (opened) {
        fields.push(quotedText(bytes, at + 1, end - 1));
      } else {
        fields.push(end === at ? null : bytes.toString('utf8', at, end));
      }
      if (terminator === this.delimiter) {
        at = end + 1;
        continue;
      }
      this.fields = fields;
      this.end = end;
      this.next = Math.min(end + (terminator === carriageReturn && bytes[end + 1] === lineFeed ? 2 : 1), bytes.length);
      return true;
    }
  }

  /** The byte after the closing quote: a delimiter, a line end or the end of the input; -1 where it is not there yet. */
  #quotedEnd(bytes: Buffer, start: number, final: boolean): number {
    let close = bytes.indexOf(quote, start + 1);
    while (close >= 0 && bytes[close + 1] === quote) close = bytes.indexOf(quote, close + 2);
    if (close < 0) return this.#fail(final, start, 'quote-not-closed');
    const end = close + 1;
    if (end === bytes.length) return final ? end : -1;
    const byte = bytes[end];
    if (byte !== this.delimiter && byte !== lineFeed && byte !== carriageReturn) {
      return this.#fail(true, end, 'text-after-quote');
    }
    return this.#known(bytes, end, final);
  }

  #plainEnd(bytes: Buffer, start: number, final: boolean): number {
    let at = start;
    // written out, for most bytes of a table are looked at here
    while (
      at < bytes.length &&
      bytes[at] !== this.delimiter &&
      bytes[at] !== lineFeed &&
      bytes[at] !== carriageReturn
    ) {
      at++;
    }
    return at < bytes.length || final ? this.#known(bytes, at, final) : -1;
  }

  /** The LF that belongs to a CR may be the first of the bytes to come. */
  #known(bytes: Buffer, end: number, final: boolean): number {
    return bytes[end] === carriageReturn && end + 1 === bytes.length && !final ? -1 : end;
  }

  #fail(certain: boolean, at: number, what: ScanFailure['what']): -1 {
    if (certain) this.failure = { at, what };
    return -1;
  }
}

function quotedText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  return text.includes('"') ? text.replaceAll('""', '"') : text;
}
