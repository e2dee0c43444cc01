import type { StudyResults } from '../results.js';
import { left, right, type Table } from './document.js';
import { whole } from './format.js';

const reasons = ['refused', 'unreadable', 'too-long'] as const;

/** What chat models gave no answer to, a row a model; none where no chat model was asked. */
function unansweredByModel({ cells }: StudyResults) {
  const models = new Map<string, { model: string; asked: number; counts: Record<string, number> }>();
  for (const { model, n = 0, unanswered } of cells) {
    if (!unanswered) continue;
    const row = models.get(model) ?? { model, asked: 0, counts: {} };
    models.set(model, row);
    row.asked += n;
    for (const reason of reasons) row.counts[reason] = (row.counts[reason] ?? 0) + (unanswered[reason] ?? 0);
  }
  return [...models.values()];
}

export function unansweredTables(results: StudyResults): Table[] {
  const rows = unansweredByModel(results);
  if (rows.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: 'Questions that chat models gave no answer to, over all their runs: each counts as a change not flagged',
      columns: [left('model'), right('asked'), ...reasons.map((reason) => right(reason.replace('-', ' ')))],
      rows: rows.map(({ model, asked, counts }) => ({
        cells: [model, whole(asked), ...reasons.map((reason) => whole(counts[reason]))],
      })),
    },
  ];
}

export function unansweredSentences(results: StudyResults): string[] {
  return unansweredByModel(results).flatMap(({ model, asked, counts }) => {
    const told = reasons.flatMap((reason) => (counts[reason] ? `${counts[reason]} ${reason.replace('-', ' ')}` : []));
    return told.length === 0
      ? []
      : [
          `${model} gave no answer to some of ${whole(asked)} questions (${told.join(', ')}): each counts as not flagged.`,
        ];
  });
}
