import { expect, test } from 'vitest';
import { ProtobufWriter } from './protobuf.js';

test('the wire format’s own examples', () => {
  const hex = (writer: ProtobufWriter) => Buffer.from(writer.finish()).toString('hex');
  expect(hex(new ProtobufWriter().integer(1, 150))).toBe('089601');
  expect(hex(new ProtobufWriter().string(2, 'testing'))).toBe('120774657374696e67');
  expect(hex(new ProtobufWriter().message(3, (inner) => inner.integer(1, 150)))).toBe('1a03089601');
  expect(hex(new ProtobufWriter().integer(1, -2))).toBe('08feffffffffffffffff01');
  expect(hex(new ProtobufWriter().float(2, 1))).toBe('150000803f');
  expect(hex(new ProtobufWriter().integer(1, 2 ** 40))).toBe('088080808080' + '20');
});
