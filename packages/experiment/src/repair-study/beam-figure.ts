import * as Plot from '@observablehq/plot';
import { colours, draw, type Figure } from '../report/draw.js';
import type { RepairStudyResults } from './run-repair-study.js';
import { scenarioTitles } from './scenarios.js';

/** Figure 1. */
export function beamFigure({ scores }: RepairStudyResults): Figure | undefined {
  const points = scores
    .filter(({ scenario }) => scenario === 'bug-fix' || scenario === 'transfer')
    .map(({ scenario, width, mean }) => ({
      training: scenarioTitles[scenario],
      beams: width,
      score: 100 * mean.paper,
    }));
  if (points.length === 0) return undefined;
  return draw({
    name: 'perfect-prediction-by-beams',
    title: 'Perfect prediction by number of beams, mean over seeds (R+R, Figure 1)',
    alternative: points.map(({ training, beams, score }) => `${training}, ${beams}: ${score.toFixed(2)}%`).join('; '),
    options: {
      x: { label: 'beams', grid: true },
      y: { label: 'perfect prediction, %', grid: true, zero: true },
      color: colours(points.map(({ training }) => training)),
      marks: [
        Plot.line(points, { x: 'beams', y: 'score', stroke: 'training', strokeWidth: 2 }),
        Plot.dot(points, { x: 'beams', y: 'score', stroke: 'training', r: 4 }),
      ],
    },
  });
}
