import { createCipheriv, createHash } from 'node:crypto';

/**
 * `length` uniform 16-bit integers that depend on the seed and the name alone: the key stream of AES-128 in counter
 * mode. Nothing is carried from call to call, so a run that is resumed draws what it would have drawn; and at gigabytes
 * a second the draw costs little beside a training step.
 */
export function drawNoise(seed: string | number, name: string, length: number): Uint16Array {
  const digest = createHash('sha256')
    .update(`redef.noise/1 ${JSON.stringify([seed, name])}`)
    .digest();
  const cipher = createCipheriv('aes-128-ctr', digest.subarray(0, 16), digest.subarray(16));
  const stream = cipher.update(new Uint8Array(length * 2));
  return new Uint16Array(stream.buffer.slice(stream.byteOffset, stream.byteOffset + stream.length));
}
