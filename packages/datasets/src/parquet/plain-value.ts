import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';

type DuckDb = typeof import('@duckdb/node-api');

/**
 * Turns DuckDB's values into what a `Row` holds: integers as `number` where it is exact and `bigint` beyond, decimals of
 * up to 15 digits as `number` and wider ones as text, dates and times as text (those with a zone in UTC).
 */
export function plainValueConverter(duckdb: DuckDb): (value: DuckDBValue, type: DuckDBType) => unknown {
  const { DuckDBTypeId: id, JSDuckDBValueConverter } = duckdb;
  const asText = new Set<number>([
    id.DATE,
    id.TIME,
    id.TIME_NS,
    id.TIME_TZ,
    id.TIMESTAMP,
    id.TIMESTAMP_S,
    id.TIMESTAMP_MS,
    id.TIMESTAMP_NS,
    id.INTERVAL,
  ]);

  const convert: typeof JSDuckDBValueConverter = (value, type) => {
    if (value === null || value === undefined) return null;
    if (typeof value === 'bigint') return exactInteger(value);
    if (typeof value === 'string') return value;
    if (asText.has(type.typeId)) return String(value);
    if (value instanceof duckdb.DuckDBTimestampTZValue) return utcText(value.micros);
    if (value instanceof duckdb.DuckDBDecimalValue) return value.width <= 15 ? value.toDouble() : value.toString();
    return JSDuckDBValueConverter(value, type, convert);
  };
  return (value, type) => convert(value, type, convert);
}

function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function utcText(micros: bigint): string {
  const seconds = micros / 1_000_000n - (micros % 1_000_000n < 0n ? 1n : 0n);
  const fraction = String(micros - seconds * 1_000_000n).padStart(6, '0');
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', `.${fraction}Z`);
}
