import { RedefError } from '@redef/core';
import type { ModelPrice } from './prices.js';

/** A limit on what one run may spend, shared by all voters that are given it. */
export interface Budget {
  readonly limitUsd: number;
  /** Known to be spent, in US dollars. */
  readonly spentUsd: number;
  /**
   * Sets the most that a call can cost aside before it is made, so that the limit holds with any number of calls under
   * way. The result is told what the call did cost.
   *
   * @throws `RedefError` `budget-spent` where the call could go past the limit
   */
  reserve(mostUsd: number): (spentUsd: number) => void;
}

export function createBudget(limitUsd: number): Budget {
  if (!(limitUsd >= 0)) {
    throw new RedefError(`The budget must be a number of dollars, got ${limitUsd}`, {
      code: 'invalid-option',
      remedy: 'Pass 0 or more.',
    });
  }
  let spent = 0;
  let reserved = 0;
  return {
    limitUsd,
    get spentUsd() {
      return spent;
    },
    reserve(most) {
      if (spent + reserved + most > limitUsd) {
        throw new RedefError(
          `The budget of $${limitUsd} is used up: $${spent.toFixed(4)} is spent and the next call could cost $${most.toFixed(4)}`,
          {
            code: 'budget-spent',
            remedy: 'Run the same command again with more: it goes on from the votes already cast.',
          },
        );
      }
      reserved += most;
      return (cost) => {
        reserved -= most;
        spent += cost;
      };
    },
  };
}

/** What so many tokens cost. */
export function costUsd(price: ModelPrice, inputTokens: number, outputTokens: number): number {
  return (inputTokens * price.input + outputTokens * price.output) / 1e6;
}
