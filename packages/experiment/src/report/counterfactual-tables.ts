import { shownName } from '../cells/cell.js';
import type { Condition } from '../evaluate.js';
import type { StudyResults } from '../results.js';
import type { StudyStatistics } from '../statistics.js';
import { type Block, left, right, type Table } from './document.js';
import { metricColumns, plusMinus, pValue, signed, twoDigits } from './format.js';
import { trivialRows } from './result-tables.js';
import { uncompared } from './uncompared.js';

export function counterfactualBlocks(results: StudyResults): Block[] {
  const { cells, missing, data, conditions, statistics } = results;
  const asked = [...cells, ...missing, ...(data?.encodings ?? [])];
  if (!asked.some(({ counterfactual }) => counterfactual !== undefined)) {
    return [{ kind: 'paragraph', text: data ? 'None was asked for.' : 'None is among the imported rows.' }];
  }
  if (!conditions.some(({ counterfactual }) => counterfactual !== undefined)) {
    return [{ kind: 'paragraph', text: 'None has a result.' }];
  }
  return [besideTable(results), ...(statistics.counterfactuals.length > 0 ? [fallTable(statistics)] : [])];
}

function besideTable(results: StudyResults): Table {
  const { conditions, statistics } = results;
  const of = (model: string, encoding: string, counterfactual?: string): Condition =>
    conditions.find((c) => c.model === model && c.encoding === encoding && c.counterfactual === counterfactual)!;
  const row = (condition: Condition, change = '') => ({
    cells: [condition.model, shownName(condition), change, ...plusMinus(condition)],
  });
  return {
    kind: 'table',
    caption: 'Each counterfactual beside its encoding, with the change of F1 in percent (ReDef, Table 5)',
    columns: [left('model'), left('condition'), right('change'), ...metricColumns()],
    rows: [
      ...statistics.counterfactuals.flatMap(({ model, encoding, counterfactual }) => {
        const original = of(model, encoding);
        const distorted = of(model, encoding, counterfactual);
        const { f1 } = original.mean;
        return [row(original), row(distorted, f1 === 0 ? '' : `${signed(100 * (distorted.mean.f1 / f1 - 1), 2)}%`)];
      }),
      ...uncompared(results).map((condition) => row(condition)),
      ...trivialRows(results, ['none', '']),
    ],
  };
}

function fallTable({ counterfactuals, settings }: StudyStatistics): Table {
  return {
    kind: 'table',
    caption: `Does the counterfactual make F1 fall? One-sided tests over the same seeds, p alone and Holm-adjusted over the counterfactuals of the model; ${100 * settings.confidence}% bootstrap interval; and two one-sided tests that F1 moves by less than ${settings.equivalenceMargin}, not adjusted`,
    columns: [
      left('model'),
      left('counterfactual'),
      right('F1 lost'),
      right('interval'),
      right('t'),
      right('p'),
      right('p, Holm'),
      right('p, Wilcoxon'),
      right('p, Wilcoxon, Holm'),
      right('p, equivalent'),
      right('d_z'),
    ],
    rows: counterfactuals.map(
      ({ model, meanDifference, tTest, wilcoxon, bootstrap, equivalence, pHolm, wilcoxonPHolm, ...shown }) => ({
        cells: [
          model,
          shownName(shown),
          signed(meanDifference),
          bootstrap ? `${signed(bootstrap.interval.low)} to ${signed(bootstrap.interval.high)}` : '',
          ...(tTest ? [twoDigits(tTest.t), pValue(tTest.p), pValue(pHolm!)] : ['not testable', '', '']),
          ...(wilcoxon ? [pValue(wilcoxon.p), pValue(wilcoxonPHolm!)] : ['', '']),
          equivalence ? pValue(equivalence.p) : '',
          tTest ? twoDigits(tTest.cohensDz) : '',
        ],
      }),
    ),
  };
}
