const utf8 = new TextEncoder();

/**
 * Writes the protocol buffer wire format: the five field kinds that an ONNX model needs. Field numbers come from
 * `onnx.proto`. Fields are written in the order of the calls, so equal calls give equal bytes.
 */
export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** int32, int64, enum or bool; negative numbers take ten bytes, as the format asks. */
  integer(field: number, value: number): this {
    return this.#tag(field, 0).#varint(BigInt.asUintN(64, BigInt(value)));
  }

  /** A 32-bit float. */
  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#tag(field, 5).#append(bytes);
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, 2).#varint(BigInt(value.length)).#append(value);
  }

  string(field: number, value: string): this {
    return this.bytes(field, utf8.encode(value));
  }

  message(field: number, write: (message: ProtobufWriter) => void): this {
    const message = new ProtobufWriter();
    write(message);
    return this.bytes(field, message.finish());
  }

  finish(): Uint8Array {
    const result = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      result.set(chunk, offset);
      offset += chunk.length;
    }
    return result;
  }

  #tag(field: number, wireType: number): this {
    return this.#varint(BigInt((field << 3) | wireType));
  }

  #varint(value: bigint): this {
    const bytes: number[] = [];
    let rest = value;
    do {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      bytes.push(rest > 0n ? low | 0x80 : low);
    } while (rest > 0n);
    return this.#append(Uint8Array.from(bytes));
  }

  #append(bytes: Uint8Array): this {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    return this;
  }
}
