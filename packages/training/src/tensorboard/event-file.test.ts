import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crc32c } from './crc32c.js';
import { createEventFile } from './event-file.js';

test('the checksum has the values of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
});

test("a file has the bytes that TensorBoard's own writer gives, and a later run starts another", () => {
  const folder = mkdtempSync(join(tmpdir(), 'redef-events-'));
  const write = createEventFile(folder);
  write(300, 1700000000.25, { 'train/loss': 0.625, 'train/learning_rate': 1e-5 });
  write(301, 1700000001.25, { 'train/loss': -0, 'train/learning_rate': 0 });
  write(70000, 1700000002.25, { 'validation/f1': 1 / 3, ['x'.repeat(200)]: 3e38 });
  createEventFile(folder)(301, 1700000003, { 'train/loss': 1 });
  const names = readdirSync(folder).sort();
  expect(names).toEqual(['events.out.tfevents.0000000000.redef', 'events.out.tfevents.0000000001.redef']);
  const golden = readFileSync(new URL('../../test/fixtures/events.tfevents', import.meta.url));
  expect(readFileSync(join(folder, names[0]!))).toEqual(golden);
  rmSync(folder, { recursive: true });
});
