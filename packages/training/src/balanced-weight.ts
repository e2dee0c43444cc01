import { RedefError } from '@redef/core';

/** The positive class's weight N_neg / N_pos (ReDef, section 4.4). @throws `RedefError` where a class is missing */
export function balancedWeight(examples: readonly { label: 0 | 1 }[]): number {
  const positives = examples.filter(({ label }) => label === 1).length;
  if (positives > 0 && positives < examples.length) return (examples.length - positives) / positives;
  const found = examples.length === 0 ? 'is empty' : `has ${positives} defective of ${examples.length} changes`;
  throw new RedefError(`The training set ${found}: a classifier needs both classes`, {
    code: examples.length === 0 ? 'empty-training-set' : 'one-class-training-set',
    remedy: 'Mine more history or more repositories, or loosen triage, so that both classes reach the training split.',
  });
}
