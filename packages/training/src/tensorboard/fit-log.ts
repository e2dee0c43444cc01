import type { FitEvent } from '../fit/fit-loop.js';
import { createEventFile } from './event-file.js';

/**
 * Writes what a fit loop tells into a file that TensorBoard reads.
 *
 * @param folder must exist
 * @param now milliseconds; absent: all points are of 1970, and only the steps tell them apart
 */
export function createFitLog(folder: string, now: () => number = () => 0): (event: FitEvent) => void {
  const write = createEventFile(folder);
  return (event) => {
    if (event.type === 'progress') {
      const { done, loss, learningRate, gradientNorm, tokensPerSecond } = event;
      write(done, now() / 1000, {
        'train/loss': loss,
        'train/learning_rate': learningRate,
        'train/gradient_norm': gradientNorm,
        ...(tokensPerSecond !== undefined && { 'train/tokens_per_second': tokensPerSecond }),
      });
    } else if (event.type === 'epoch') {
      const { step, trainLoss, metric, validation } = event;
      write(step, now() / 1000, {
        'epoch/train_loss': trainLoss,
        ...(validation !== null && { [`validation/${metric}`]: validation }),
      });
    }
  };
}
