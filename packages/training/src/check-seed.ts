import { RedefError } from '@redef/core';

/** @throws `RedefError` `invalid-option` for a seed that is no number: manifests and results name it as one */
export function checkSeed(seed: number): void {
  if (Number.isFinite(seed)) return;
  throw new RedefError(`The seed must be a finite number, got ${JSON.stringify(seed) ?? String(seed)}`, {
    code: 'invalid-option',
    remedy: 'Pass a whole number.',
  });
}
