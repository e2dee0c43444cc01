/**
 * How long the rate-limit headers of an answer ask the next call to wait, in milliseconds; 0 where there is room.
 * OpenAI names the limit, what remains, and the time until all of it is back (`x-ratelimit-reset-requests: 1m3.5s`);
 * what is missing comes back evenly over that time.
 *
 * @param tokens what the next call is likely to need
 */
export function waitAskedFor(headers: Headers, tokens: number): number {
  return Math.min(longestWaitMs, Math.max(waitFor(headers, 'requests', 1), waitFor(headers, 'tokens', tokens)));
}

/** A header that asks for more is asked again with the next call. */
const longestWaitMs = 60_000;

function waitFor(headers: Headers, what: 'requests' | 'tokens', need: number): number {
  const number = (name: string) => Number.parseFloat(headers.get(`x-ratelimit-${name}-${what}`) ?? '');
  const remaining = number('remaining');
  const reset = parseDuration(headers.get(`x-ratelimit-reset-${what}`) ?? '');
  if (Number.isNaN(remaining) || reset === undefined || remaining >= need) return 0;
  const limit = number('limit');
  return limit > remaining ? reset * Math.min(1, (need - remaining) / (limit - remaining)) : reset;
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `6m0s`, `1.5s`, `20ms`, or bare seconds, in milliseconds. */
export function parseDuration(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * unitMs[unit!]!;
  return total;
}
