import { RedefError } from '@redef/core';
import * as v from 'valibot';

const price = v.object({ input: v.pipe(v.number(), v.minValue(0)), output: v.pipe(v.number(), v.minValue(0)) });
/** US dollars per million tokens. */
export type ModelPrice = v.InferOutput<typeof price>;

const pricesSchema = v.object({
  schema: v.literal('redef.prices/1'),
  /** When the prices were taken down: `2026-11`. */
  as_of: v.string(),
  /** Where they stand. */
  source: v.optional(v.string()),
  models: v.record(v.string(), price),
  /** What a Batch API call costs against an ordinary one. */
  batch_factor: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
});
export type PriceTable = v.InferOutput<typeof pricesSchema>;

const gpt4o = { input: 2.5, output: 10 };
const gpt4oMini = { input: 0.15, output: 0.6 };
const gpt41 = { input: 2, output: 8 };
const gpt41Mini = { input: 0.4, output: 1.6 };

/**
 * OpenAI's list prices for calls of up to 272,000 input tokens, as published reports of its price page gave them: those of
 * GPT-6 in October and November 2026, the older ones between March and June. The discount on input that it has seen before
 * is left out, so that a sum errs upwards. Prices change: pass your own table before you trust one.
 */
export const defaultPrices: PriceTable = {
  schema: 'redef.prices/1',
  as_of: '2026-11',
  source: 'https://developers.openai.com/api/docs/pricing',
  models: {
    'gpt-4o': gpt4o,
    'gpt-4o-2024-08-06': gpt4o,
    'gpt-4o-2024-11-20': gpt4o,
    'gpt-4o-mini': gpt4oMini,
    'gpt-4o-mini-2024-07-18': gpt4oMini,
    'gpt-4.1': gpt41,
    'gpt-4.1-2025-04-14': gpt41,
    'gpt-4.1-mini': gpt41Mini,
    'gpt-4.1-mini-2025-04-14': gpt41Mini,
    'gpt-6-luna': { input: 0.1, output: 0.5 },
    'gpt-6.1-terra': { input: 1, output: 5 },
    'gpt-6.1-sol': { input: 2, output: 10 },
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
      'Write {"schema":"redef.prices/1","as_of":"2026-11","batch_factor":0.5,"models":{"name":{"input":2.5,"output":10}}}, dollars per million tokens.',
  });
}
