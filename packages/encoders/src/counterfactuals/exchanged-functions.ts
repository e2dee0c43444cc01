import type { Perturbation } from './counterfactual.js';

const testOnly = { train: false, test: true } as const;

/** No change at all: after is before. A model that reads the edit finds nothing to call defective. Applied twice it is as once. */
export const nullEdit: Perturbation = {
  name: 'null-edit',
  effect: 'meaning',
  appliesTo: testOnly,
  perturbChange: (change) => ({ ...change, function_after: change.function_before }),
};

/**
 * The revert of the change: before and after truly exchanged, whatever the encoding makes of them, where swapped
 * snapshots exchange only their places. Applied twice it is the identity.
 */
export const inverseChange: Perturbation = {
  name: 'inverse-change',
  effect: 'meaning',
  appliesTo: testOnly,
  perturbChange: (change) => ({
    ...change,
    function_before: change.function_after,
    function_after: change.function_before,
  }),
};
