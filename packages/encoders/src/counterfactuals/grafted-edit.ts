import { RedefError } from '@redef/core';
import { checkChange } from '../check-change.js';
import { diffLines } from '../diff/line-diff.js';
import type { ChangeText } from '../layout.js';
import { rebuild } from './changed-lines.js';
import type { Perturbation } from './counterfactual.js';

/**
 * The added lines of another record put in the places of this one's: the function before and the deleted lines stay, each
 * edit adds what the donor's edit of the same index adds (those that add nothing left out; an edit past the last only
 * deletes). The donor is drawn from `donors` by seed and record, so applied twice by one seed it is as once, unless the
 * function has the donor's lines itself.
 *
 * @param donors Changes to draw from. All are kept in memory.
 * @throws `RedefError` `invalid-option`, while perturbing, where no other record adds a line
 */
export function graftedEdit(donors: readonly ChangeText[]): Perturbation {
  return {
    name: 'grafted-edit',
    effect: 'meaning',
    appliesTo: { train: false, test: true },
    perturbChange(change, rng) {
      const diff = diffLines(change.function_before, change.function_after);
      const first = rng.integer(Math.max(1, donors.length));
      for (let k = 0; k < donors.length; k++) {
        const donor = donors[(first + k) % donors.length]!;
        const blocks = donor.id === change.id ? [] : addedBlocks(donor);
        if (blocks.length > 0) {
          return { ...change, function_after: rebuild(diff, (_, index) => blocks[index] ?? []) };
        }
      }
      throw new RedefError(`${change.id}: no other donor adds a line`, {
        code: 'invalid-option',
        remedy: 'Pass donors that add lines.',
      });
    },
  };
}

/** @throws `RedefError` `invalid-option` where the only donor could be the change itself, `invalid-change` for one that is none */
export function checkDonors(donors: readonly ChangeText[]): void {
  for (const donor of donors) checkChange(donor);
  if (donors.length < 2) {
    throw new RedefError(`grafted-edit needs at least two donors, got ${donors.length}`, {
      code: 'invalid-option',
      remedy: 'Pass donors: changes of the split at hand, two at least.',
    });
  }
}

function addedBlocks(change: ChangeText): string[][] {
  const { after, edits } = diffLines(change.function_before, change.function_after);
  return edits.filter(({ added }) => added > 0).map((edit) => after.list(edit.after, edit.after + edit.added));
}
