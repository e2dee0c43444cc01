// Fields of a protobuf message, each with its number and wire type before it. Default values are left out, as proto3 has it.

export function messageField(field: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(body.length)]), body]);
}

export function varintField(field: number, value: number): Uint8Array {
  return value === 0 ? Buffer.alloc(0) : Buffer.from([field << 3, ...varint(value)]);
}

export function fixed64Field(field: number, value: number): Uint8Array {
  if (value === 0) return Buffer.alloc(0);
  const bytes = Buffer.from([(field << 3) | 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

export function fixed32Field(field: number, value: number): Uint8Array {
  const bytes = Buffer.from([(field << 3) | 5, 0, 0, 0, 0]);
  bytes.writeFloatLE(value, 1);
  return bytes;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}
