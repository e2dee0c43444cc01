import { parse, stringify } from 'lossless-json';

/** `JSON.parse`, but integers beyond 2^53 become `bigint`: PrimeVul's function hashes have 128 bits. */
export function parseJson(text: string): unknown {
  // Most lines hold no such number and take the quick way.
  return /\d{16}/.test(text) ? parse(text, undefined, { parseNumber, onDuplicateKey }) : JSON.parse(text);
}

const onDuplicateKey = ({ newValue }: { newValue: unknown }): unknown => newValue; // as JSON.parse has it

function parseNumber(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
}

/** `JSON.stringify`, but `bigint` becomes a number; `undefined` where JSON has no form for the value. */
export function stringifyJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError && /BigInt/.test(error.message)) return stringify(value);
    throw error;
  }
}
