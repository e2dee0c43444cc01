import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileError } from '@redef/core/files';
import { crc32c } from './crc32c.js';
import { fixed32Field, fixed64Field, messageField, varintField } from './protobuf.js';

/** Adds a point to each curve named. `wallTime` is in seconds since 1970. */
export type WriteScalars = (step: number, wallTime: number, scalars: Readonly<Record<string, number>>) => void;

/**
 * What TensorBoard reads: TFRecords that hold messages of `event.proto`, of which this writes scalars alone. The file
 * starts with the first point. A run that goes on after a stop starts another one, from whose first step on TensorBoard
 * drops what the older ones have.
 *
 * @param folder must exist
 * @returns a function that throws `RedefError` `disk-full`, `file-permission`
 */
export function createEventFile(folder: string): WriteScalars {
  let path: string | undefined;
  return (step, wallTime, scalars) => {
    const events: Uint8Array[] = [];
    if (path === undefined) {
      const earlier = readdirSync(folder).filter((name) => name.startsWith('events.out.tfevents.')).length;
      path = join(folder, `events.out.tfevents.${String(earlier).padStart(10, '0')}.redef`); // read in this order
      events.push(event(0, wallTime, messageField(3, Buffer.from('brain.Event:2'))));
      events.push(event(step, wallTime, messageField(7, varintField(1, sessionStart))));
    }
    const values = Object.entries(scalars).map(([tag, value]) =>
      messageField(1, Buffer.concat([messageField(1, Buffer.from(tag)), fixed32Field(2, value)])),
    );
    events.push(event(step, wallTime, messageField(5, Buffer.concat(values))));
    try {
      appendFileSync(path, Buffer.concat(events.map(toRecord)));
    } catch (error) {
      throw fileError(error, path);
    }
  };
}

const sessionStart = 1;

function event(step: number, wallTime: number, what: Uint8Array): Uint8Array {
  return Buffer.concat([fixed64Field(1, wallTime), varintField(2, step), what]);
}

/** A TFRecord: length, its checksum, the data, their checksum; little-endian. */
function toRecord(data: Uint8Array): Uint8Array {
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
