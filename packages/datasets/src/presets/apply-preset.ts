import { RedefError } from '@redef/core';
import { mapRows } from '../map-rows.js';
import { describePlace, type PlacedRow } from '../row.js';
import type { ColumnKind, Preset, PresetColumn } from './preset.js';
import { findPreset, type PresetName } from './presets.js';

/**
 * Checks rows against a layout and gives columns their types. Other columns pass through as they are.
 *
 * @throws `RedefError` `preset-columns` where a column is missing, `preset-value` where a value has another type
 */
export function applyPreset(
  batches: AsyncIterable<readonly PlacedRow[]>,
  preset: PresetName | Preset,
): AsyncIterable<PlacedRow[]> {
  const layout = findPreset(preset);
  const columns = Object.entries(layout.columns);
  const required = columns.filter(([, { optional }]) => !optional);
  return mapRows(batches, (placed) => {
    const missing = required.find(([name]) => !Object.hasOwn(placed.row, name));
    if (missing) throw missingColumn(missing[0], placed, layout);
    const row: Record<string, unknown> = { ...placed.row };
    for (const [name, column] of columns) {
      if (Object.hasOwn(row, name)) row[name] = convert(row[name], name, column, placed, layout);
    }
    return { ...placed, row };
  });
}

function convert(value: unknown, name: string, column: PresetColumn, placed: PlacedRow, preset: Preset): unknown {
  if (value === null || value === undefined) return null;
  const converted = converters[column.kind](value);
  if (converted !== undefined) return converted;
  const found = JSON.stringify(String(value).slice(0, 40));
  throw new RedefError(
    `${describePlace(placed)}: column ${JSON.stringify(name)}: expected ${nouns[column.kind]}, found ${found}`,
    { code: 'preset-value', remedy: `Correct the row, or read the file without the preset ${preset.name}.` },
  );
}

const nouns: Record<ColumnKind, string> = {
  text: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'True or False',
  list: 'a list',
  any: 'a value',
};

const converters: Record<ColumnKind, (value: unknown) => unknown> = {
  any: (value) => value,
  text: (value) => (typeof value === 'string' ? value : undefined),
  integer: (value) => {
    if (typeof value === 'bigint' || Number.isInteger(value)) return value;
    // pandas writes the integers of a column with missing values as 1.0
    const digits = typeof value === 'string' ? /^(-?\d+)(?:\.0+)?$/.exec(value)?.[1] : undefined;
    if (digits === undefined) return undefined;
    return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
  },
  number: (value) => {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string' || value.trim() === '') return undefined;
    const number = Number(value);
    return Number.isNaN(number) ? undefined : number;
  },
  boolean: (value) => {
    if (typeof value === 'boolean') return value;
    const text = String(value).toLowerCase();
    if (text === 'true' || text === '1') return true;
    return text === 'false' || text === '0' ? false : undefined;
  },
  list: (value) => {
    if (Array.isArray(value)) return value;
    return typeof value === 'string' ? parseList(value) : undefined;
  },
};

/** A list as JSON or as Python prints one: `["CWE-119"]`, `['CWE-119']`. */
function parseList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text.includes('"') ? text : text.replaceAll("'", '"'));
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function missingColumn(name: string, placed: PlacedRow, preset: Preset): RedefError {
  const found = Object.keys(placed.row).map((column) => JSON.stringify(column));
  return new RedefError(
    `${describePlace(placed)}: the layout ${preset.name} has a column ${JSON.stringify(name)}, found ${found.join(', ')}`,
    { code: 'preset-columns', remedy: 'Choose the preset that fits the file, or read it without one.' },
  );
}
