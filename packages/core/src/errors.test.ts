import { expect, test, vi } from 'vitest';
import { RedefError } from './errors.js';

test('an error of another installed copy is recognised, others are not', async () => {
  vi.resetModules();
  const copy = await import('./errors.js');
  const error = new copy.RedefError('m', { code: 'c', remedy: 'r', disposition: 'skip', cause: 1 });
  expect(error).not.toBeInstanceOf(RedefError);
  expect(RedefError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ name: 'RedefError', code: 'c', remedy: 'r', disposition: 'skip', cause: 1 });
  for (const other of [new Error('x'), null, undefined, 'x', {}]) expect(RedefError.isInstance(other)).toBe(false);
});
