import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileError, makeFolder } from '@redef/core/files';
import { crc32c } from './crc32c.js';

// What TensorBoard reads: TFRecords that hold messages of event.proto. Of that, this writes scalars alone.

export interface EventFile {
  /** Adds one point to each of the curves named. @param wallTime seconds since 1970 */
  write(step: number, wallTime: number, scalars: Readonly<Record<string, number>>): void;
}

/**
 * Starts an event file in a folder. A run that goes on after a stop starts another one; TensorBoard drops what the older
 * ones have from its first step on.
 *
 * @throws `RedefError` `disk-full`, `file-permission`
 */
export async function openEventFile(folder: string, firstStep: number, wallTime: number): Promise<EventFile> {
  await makeFolder(folder);
  const number = readdirSync(folder).filter((name) => name.startsWith('events.out.tfevents.')).length;
  const path = join(folder, `events.out.tfevents.${String(number).padStart(10, '0')}.redef`); // read in this order
  const append = (bytes: Uint8Array) => {
    try {
      appendFileSync(path, bytes);
    } catch (error) {
      throw fileError(error, path);
    }
  };
  append(record(encodeEvent(0, wallTime, text(3, 'brain.Event:2'))));
  append(record(encodeEvent(firstStep, wallTime, message(7, [varint(1, sessionStart)]))));
  return {
    write: (step, time, scalars) => {
      const values = Object.entries(scalars).map(([tag, value]) => message(1, [text(1, tag), float(2, value)]));
      append(record(encodeEvent(step, time, message(5, values))));
    },
  };
}

const sessionStart = 1;

/** A TFRecord: length, its checksum, the data, their checksum; little-endian. */
export function record(data: Uint8Array): Uint8Array {
  const header = Buffer.alloc(12);
  header.writeBigUInt64LE(BigInt(data.length));
  header.writeUInt32LE(maskedCrc(header.subarray(0, 8)), 8);
  const footer = Buffer.alloc(4);
  footer.writeUInt32LE(maskedCrc(data));
  return Buffer.concat([header, data, footer]);
}

function maskedCrc(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Field 1 the time, field 2 the step, then what happened. */
function encodeEvent(step: number, wallTime: number, what: Uint8Array): Uint8Array {
  const time = Buffer.alloc(9);
  time[0] = (1 << 3) | fixed64;
  time.writeDoubleLE(wallTime, 1);
  return Buffer.concat([time, ...(step === 0 ? [] : [varint(2, step)]), what]);
}

const fixed64 = 1;
const lengthDelimited = 2;
const fixed32 = 5;

function message(field: number, parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([(field << 3) | lengthDelimited, ...varintBytes(body.length)]), body]);
}

function text(field: number, value: string): Uint8Array {
  return message(field, [Buffer.from(value)]);
}

function varint(field: number, value: number): Uint8Array {
  return Buffer.from([field << 3, ...varintBytes(value)]);
}

function float(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(5);
  bytes[0] = (field << 3) | fixed32;
  bytes.writeFloatLE(value, 1);
  return bytes;
}

function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}
