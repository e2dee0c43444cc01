import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from '@redef/core';

export interface GateOptions {
  /** Never more calls at once than this. */
  max: number;
  onLimit?: (limit: number) => void;
}

/**
 * Admits calls to one server. Whoever is told to slow down slows down all: the limit halves (at most once for the calls
 * that were under way together) and grows back by one for every `limit` calls that succeed. A pause holds back every
 * new call.
 */
export class AdaptiveGate {
  #limit: number;
  #running = 0;
  #pausedUntil = 0;
  /** Calls that were let in before this count do not halve the limit again. */
  #entered = 0;
  #halvedAt = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly options: GateOptions) {
    this.#limit = options.max;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Waits for a place and gives its ticket, which `leave` takes back. */
  async enter(signal?: AbortSignal): Promise<number> {
    for (;;) {
      if (signal?.aborted) {
        this.#wake(); // this waiter used up a call for the next
        throwIfAborted(signal);
      }
      const wait = this.#pausedUntil - performance.now();
      if (wait > 0) {
        await sleep(wait, undefined, signal ? { signal } : {}).catch(() => {}); // aborted: seen above
      } else if (this.#running < this.limit) {
        this.#running++;
        return ++this.#entered;
      } else {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    }
  }

  leave(ticket: number, outcome: 'answered' | 'limited' | 'failed'): void {
    this.#running--;
    if (outcome === 'answered') {
      this.#setLimit(Math.min(this.options.max, this.#limit + 1 / this.#limit));
    } else if (outcome === 'limited' && ticket > this.#halvedAt) {
      this.#halvedAt = this.#entered;
      this.#setLimit(Math.max(1, (this.#running + 1) / 2));
    }
    this.#wake();
  }

  /** Lets nobody in for so long. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms);
  }

  #setLimit(limit: number): void {
    const before = this.limit;
    this.#limit = limit;
    if (this.limit !== before) this.options.onLimit?.(this.limit);
  }

  #wake(): void {
    for (let free = Math.max(1, this.limit - this.#running); free > 0; free--) this.#waiting.shift()?.();
  }
}
