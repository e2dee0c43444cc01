import type { Category, Label, Transition } from '@redef/core';

/** What a voter is asked of one class of candidates, and what each answer means (ReDef, section 3.1). */
export interface Rubric {
  /** Name and version. A change of any text below is a new version, since votes under two texts are not the same vote. */
  id: string;
  /** The label of a candidate that is kept. */
  label: Label['label'];
  question: string;
  categories: Record<Category, string>;
  /** What A and B say of the code before and after; C says nothing. */
  transitions: Record<'A' | 'B', Transition>;
  /** How to decide where the evidence is thin. */
  guidance: readonly string[];
}

/** For changes that a later commit reverted. */
export const defectiveRubric: Rubric = {
  id: 'redef-defective/1',
  label: 'defective',
  question: 'A later commit reverted this change to one function. Was the change reverted because it was defective?',
  categories: {
    A: 'Failed or incomplete fix: the change set out to repair a defect and left it, wholly or partly, or broke something else while doing so. The code was defective before and after.',
    B: 'Bug introduction: the change set out to do something else (a feature, a clean-up, an optimisation) and brought a defect into code that was sound before.',
    C: 'Other: the revert gives no defect as its reason (formatting, policy, a merge mistake, superseded work, a temporary measure), or gives no reason at all.',
  },
  transitions: { A: 'defective->defective', B: 'clean->defective' },
  guidance: [
    'Answer A or B only where the evidence states or plainly shows a failure that the change caused or left: a crash, a regression, a wrong result, a broken build or test, a leak, a slowdown.',
    'A revert message that names a hash and gives no reason is C, however suspicious the code looks.',
    'If you hesitate between A or B and C, answer C.',
  ],
};

/** For changes that the screening of later history left standing. */
export const cleanRubric: Rubric = {
  id: 'redef-clean/1',
  label: 'clean',
  question: 'This change to one function has stood, with no later sign of trouble. What kind of change is it?',
  categories: {
    A: 'Bug fix: the change repairs a defect. The code was defective before and sound after.',
    B: 'Improvement: a feature, an optimisation, a refactoring or another deliberate change of code that was sound before and is sound after.',
    C: 'Ambiguous: the message and the code do not show what the change is for, contradict each other, or the change has no bearing on how the function behaves.',
  },
  transitions: { A: 'defective->clean', B: 'clean->clean' },
  guidance: [
    'Judge by what the message says and the code confirms.',
    'If you hesitate between A or B and C, answer C.',
  ],
};

/** The rubric of a kind of evidence. */
export function rubricFor(kind: 'revert' | 'clean'): Rubric {
  return kind === 'revert' ? defectiveRubric : cleanRubric;
}
