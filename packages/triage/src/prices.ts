import { RedefError } from '@redef/core';
import * as v from 'valibot';

const price = v.object({ input: v.pipe(v.number(), v.minValue(0)), output: v.pipe(v.number(), v.minValue(0)) });
/** US dollars per million tokens. */
export type ModelPrice = v.InferOutput<typeof price>;

const pricesSchema = v.object({
  schema: v.literal('redef.prices/1'),
  /** When the prices were taken down: `2025-11`. */
  as_of: v.string(),
  models: v.record(v.string(), price),
  /** What a Batch API call costs against an ordinary one. */
  batch_factor: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
});
export type PriceTable = v.InferOutput<typeof pricesSchema>;

/** OpenAI's list prices. Prices change: pass your own table before you trust a sum. */
export const defaultPrices: PriceTable = {
  schema: 'redef.prices/1',
  as_of: '2025-08',
  models: {
    'gpt-4o': { input: 2.5, output: 10 },
    'gpt-4o-2024-05-13': { input: 5, output: 15 },
    'gpt-4o-2024-08-06': { input: 2.5, output: 10 },
    'gpt-4o-2024-11-20': { input: 2.5, output: 10 },
    'gpt-4o-mini': { input: 0.15, output: 0.6 },
    'gpt-4o-mini-2024-07-18': { input: 0.15, output: 0.6 },
    'gpt-4.1': { input: 2, output: 8 },
    'gpt-4.1-mini': { input: 0.4, output: 1.6 },
    'gpt-4.1-nano': { input: 0.1, output: 0.4 },
  },
  batch_factor: 0.5,
};

/** Checks a table read from a file. @throws `RedefError` `invalid-prices` */
export function parsePrices(value: unknown, where: string): PriceTable {
  const result = v.safeParse(pricesSchema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new RedefError(`${where}: ${v.getDotPath(issue) ?? 'table'}: ${issue.message}`, {
    code: 'invalid-prices',
    remedy:
      'Write {"schema":"redef.prices/1","as_of":"2025-08","batch_factor":0.5,"models":{"name":{"input":2.5,"output":10}}}, dollars per million tokens.',
  });
}
