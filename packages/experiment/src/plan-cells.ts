import {
  type Budget,
  type CounterfactualName,
  counterfactualTraits,
  createEncoding,
  type EncodingName,
  type Tokenizer,
} from '@redef/encoders';
import { type Cell, cellKey, type EngineSpec } from './cells/cell.js';

/** A model of a study: what it reads and what trains it. */
export interface StudyModel {
  /** As tables name it. */
  name: string;
  budget: Budget;
  /** May depend on the encoding, and on the tokenizer with its marks added, whose `size` is that of the embedding table. */
  spec: (tokenizer: Tokenizer, encoding: EncodingName) => EngineSpec;
  /** Added by the study itself: it stands in the tables, not in the analysis of variance over the models asked for. */
  baseline?: true;
  /** Where this model is to see only some of the study's encodings, or be trained with only some of its seeds. */
  encodings?: readonly EncodingName[];
  seeds?: readonly number[];
}

/** A way in which models are shown the changes. */
export interface Shown {
  encoding: EncodingName;
  counterfactual?: CounterfactualName;
}

/** Where the examples of one fold, budget and way of showing lie, and the digests of their files. */
export type ExampleSource = Pick<Cell, 'examples' | 'inputs'>;

export interface CellPlan {
  models: readonly StudyModel[];
  /** Stage 1 and Stage 2, in the order of the report. */
  shown: readonly Shown[];
  seeds: readonly number[];
  /** Projects left out in turn; none for one way of splitting. */
  folds: readonly string[];
  threshold: Cell['threshold'];
  source: (fold: string | undefined, budget: Budget, shown: Shown) => ExampleSource;
}

/**
 * Every model with every encoding and seed (Stage 1), and every counterfactual on the same seeds (Stage 2): those that the
 * paper applies to training too get a model of their own, the others are put to the Stage 1 model of their encoding and
 * seed (ReDef, section 3.2).
 */
export function planCells({ models, shown, seeds, folds, threshold, source }: CellPlan): Cell[] {
  const cells: Cell[] = [];
  for (const model of models) {
    const { name, budget, spec } = model;
    for (const way of shown.filter((candidate) => isShown(model, candidate))) {
      const marks = createEncoding(way.encoding).specialTokens;
      const marked = marks.length > 0 ? budget.tokenizer.addTokens(marks) : budget.tokenizer;
      const engine = spec(marked, way.encoding);
      for (const fold of folds.length > 0 ? folds : [undefined]) {
        for (const seed of model.seeds ?? seeds) {
          const uses = reusesStage1(way)
            ? cells.find(
                (cell) =>
                  cell.model === name &&
                  cell.encoding === way.encoding &&
                  cell.counterfactual === undefined &&
                  cell.seed === seed &&
                  cell.fold === fold,
              )?.key
            : undefined;
          const identity = {
            spec: engine,
            seed,
            ...(uses !== undefined && { uses }),
            threshold,
            ...source(fold, budget, way),
          };
          cells.push({
            schema: 'redef.cell/1',
            key: cellKey(identity),
            model: name,
            encoding: way.encoding,
            ...(way.counterfactual !== undefined && { counterfactual: way.counterfactual }),
            ...(fold !== undefined && { fold }),
            ...identity,
          });
        }
      }
    }
  }
  return cells;
}

/** Whether a study shows changes this way to this model. */
export function isShown({ encodings }: Pick<StudyModel, 'encodings'>, { encoding }: Shown): boolean {
  return encodings === undefined || encodings.includes(encoding);
}

function reusesStage1({ counterfactual, encoding }: Shown): boolean {
  return counterfactual !== undefined && !counterfactualTraits(counterfactual, encoding).appliesTo.train;
}
