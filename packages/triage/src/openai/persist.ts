import { setTimeout as sleep } from 'node:timers/promises';
import { RedefError, type Rng, type RunOptions, throwIfAborted } from '@redef/core';
import type { TriageEvent } from '../voter.js';
import type { Fault } from './fault.js';

export interface Patience {
  voter: string;
  rng: Rng;
  /** How often a call is made again after a failure that may pass. Default 8. */
  maxRetries?: number;
  /** First and longest wait between tries; it doubles in between. Default 500 and 60,000. */
  backOffMs?: { first: number; longest: number };
  /** Told of each failure before the wait. */
  onFault?: (fault: Fault) => void;
}

/**
 * Tries until there is a value, with exponential back-off and jitter and never sooner than the server asked.
 *
 * @throws `RedefError` of a fault that ends the run, or `server-unavailable` once patience is over
 */
export async function persist<T>(
  attempt: () => Promise<{ value: T } | { fault: Fault }>,
  { voter, rng, maxRetries = 8, backOffMs = { first: 500, longest: 60_000 }, onFault }: Patience,
  /** `signal` ends the waits. */
  { signal, onEvent }: RunOptions<TriageEvent>,
): Promise<{ value: T } | { abstains: string }> {
  for (let tries = 1; ; tries++) {
    const result = await attempt();
    if ('value' in result) return result;
    const { fault } = result;
    if (fault.kind === 'abstain') return { abstains: fault.reason };
    throwIfAborted(signal);
    onFault?.(fault);
    if (fault.kind === 'stop') throw fault.error;
    if (tries > maxRetries) {
      throw new RedefError(`${voter}: ${fault.reason}, ${tries} times in a row`, {
        code: 'server-unavailable',
        remedy: 'Run the same command again later: it goes on from the votes already cast.',
      });
    }
    const wait = Math.min(backOffMs.longest, backOffMs.first * 2 ** (tries - 1));
    const delay_ms = Math.round(Math.max(fault.retryAfterMs ?? 0, wait / 2) + (wait / 2) * rng.next());
    onEvent?.({ type: 'retry', voter, reason: fault.reason, attempt: tries, delay_ms });
    await sleep(delay_ms, undefined, signal ? { signal } : {}).catch(() => throwIfAborted(signal));
  }
}
