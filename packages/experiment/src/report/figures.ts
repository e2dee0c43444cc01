import * as Plot from '@observablehq/plot';
import { shownName } from '../cells/cell.js';
import { averageFolds } from '../evaluate.js';
import type { StudyData, StudyResults } from '../results.js';
import { colours, draw, type Figure, palette } from './draw.js';

/** The figures that the results have data for, in the order of the report. */
export function drawFigures(results: StudyResults): Figure[] {
  return [
    ...(results.data ? [classCounts(results.data), lengths(results.data)] : []),
    f1ByEncoding(results),
    precisionRecall(results),
    calibrationCurves(results),
    sensitivity(results),
    ...learningCurves(results),
  ].flatMap((figure) => figure ?? []);
}

function classCounts({ projects, classes }: StudyData): Figure | undefined {
  if (classes.length === 0) return undefined;
  return draw({
    name: 'class-counts',
    title: 'Labelled changes per project (ReDef, Figure 2)',
    alternative: classes.map(({ project, label, count }) => `${project}: ${count} ${label}`).join('; '),
    options: {
      height: 60 + 46 * projects.length,
      marginLeft: marginFor(projects.map(({ project }) => project)),
      x: { label: 'changes', grid: true },
      y: { label: null },
      color: { domain: ['defective', 'clean'], range: [palette[1]!, palette[0]!], legend: true },
      marks: [
        Plot.barX(classes, { x: 'count', y: 'project', fill: 'label', order: ['defective', 'clean'] }),
        Plot.ruleX([0]),
      ],
    },
  });
}

function lengths({ lengths: distributions }: StudyData): Figure | undefined {
  if (distributions.length === 0) return undefined;
  const points = distributions.flatMap(({ tokenizer, percentiles }) =>
    percentiles.map((point) => ({ ...point, tokenizer })),
  );
  return draw({
    name: 'function-lengths',
    title: 'Cumulative distribution of function lengths in tokens (ReDef, Figure 3)',
    alternative: distributions
      .flatMap(({ tokenizer, fits }) =>
        fits.map(({ limit, share }) => `${tokenizer}: ${(100 * share).toFixed(1)}% fit into ${limit} tokens`),
      )
      .join('; '),
    options: {
      x: { label: 'tokens of function_after', type: 'log', grid: true },
      y: { label: 'share of functions', percent: true, grid: true, domain: [0, 100] },
      color: colours(points.map(({ tokenizer }) => tokenizer)),
      marks: [
        Plot.line(points, {
          x: 'tokens',
          y: 'share',
          stroke: 'tokenizer',
          z: 'tokenizer',
          curve: 'step-after',
          strokeWidth: 2,
        }),
        Plot.ruleX([512, 1024], { strokeDasharray: '4 3' }),
      ],
    },
  });
}

function f1ByEncoding({ cells, folds, trivial }: StudyResults): Figure | undefined {
  const rows = averageFolds(cells, folds).filter(({ counterfactual }) => counterfactual === undefined);
  if (rows.length === 0) return undefined;
  const baseline = trivial.find(({ name }) => name === 'all defective');
  return dots(
    rows.map(({ model, encoding, f1 }) => ({ model, shown: encoding, x: f1 })),
    {
      name: 'f1-by-encoding',
      title: `F1 by encoding, every seed shown${baseline ? '; the dashed line calls every change defective' : ''}`,
      alternative: 'One dot a seed and a tick at the mean, a line for each encoding and model.',
      x: { label: 'F1', domain: [0, 1], grid: true },
      marks: baseline ? [Plot.ruleX([baseline.f1], { strokeDasharray: '4 3' })] : [],
    },
  );
}

interface Dot {
  model: string;
  shown: string;
  x: number;
}

/** A dot for each value and a tick at their mean: a line for each way of showing and model, one colour a model. */
function dots(
  rows: readonly Dot[],
  { x, marks, ...about }: Omit<Figure, 'svg'> & { x: Plot.ScaleOptions; marks: Plot.Markish[] },
): Figure {
  const models = new Set(rows.map(({ model }) => model)).size;
  const place = ({ model, shown }: Dot): string => (models > 1 ? `${shown}, ${model}` : shown);
  const shownOnce = [...new Set(rows.map(({ shown }) => shown))];
  const lines = shownOnce.flatMap((shown) => [...new Set(rows.filter((row) => row.shown === shown).map(place))]);
  return draw({
    ...about,
    options: {
      height: 60 + 26 * lines.length,
      marginLeft: marginFor(lines),
      x,
      y: { label: null, domain: lines },
      color: colours(rows.map(({ model }) => model)),
      marks: [
        ...marks,
        Plot.dot(rows, { x: 'x', y: place, stroke: 'model', r: 4 }),
        Plot.tickX(rows, Plot.groupY({ x: 'mean' }, { x: 'x', y: place, stroke: 'model', strokeWidth: 3 })),
      ],
    },
  });
}

/** One panel a model, its name above it where there are several; one colour an encoding. */
function byModel<Point extends { model: string; encoding: string }>(points: readonly Point[], marks: Plot.Markish[]) {
  const models = [...new Set(points.map(({ model }) => model))];
  const place = { frameAnchor: 'top-left', dx: 110, dy: -13, fontWeight: 'bold' } as const;
  return {
    height: 60 + 260 * models.length,
    marginTop: 30,
    fy: { axis: null, padding: 0.12 },
    color: colours(points.map(({ encoding }) => encoding)),
    marks: [...marks, ...(models.length > 1 ? [Plot.text(models, { fy: (d) => d, text: (d) => d, ...place })] : [])],
  };
}

function precisionRecall({ curves }: StudyResults): Figure | undefined {
  const points = curves.flatMap(({ model, encoding, precisionRecall: curve }) =>
    curve.map((point) => ({ ...point, model, encoding })),
  );
  if (points.length === 0) return undefined;
  return draw({
    name: 'precision-recall',
    title: 'Precision at recall, interpolated, mean over seeds',
    alternative: 'One falling line for each encoding, a panel for each model.',
    options: {
      ...byModel(points, [
        Plot.line(points, {
          x: 'recall',
          y: 'precision',
          fy: 'model',
          stroke: 'encoding',
          z: 'encoding',
          strokeWidth: 2,
        }),
      ]),
      x: { label: 'recall', domain: [0, 1], grid: true },
      y: { label: 'precision', domain: [0, 1], grid: true },
    },
  });
}

function calibrationCurves({ curves }: StudyResults): Figure | undefined {
  const points = curves.flatMap(({ model, encoding, calibration }) =>
    calibration.flatMap(({ meanProbability, positiveShare, count }) =>
      meanProbability === undefined || positiveShare === undefined
        ? []
        : [{ meanProbability, positiveShare, count, model, encoding }],
    ),
  );
  if (points.length === 0) return undefined;
  const place = { x: 'meanProbability', y: 'positiveShare', fy: 'model' } as const;
  return draw({
    name: 'calibration',
    title: 'Calibration: share of defective changes at each predicted probability, all seeds together',
    alternative: 'Dots on the diagonal are well calibrated; a dot is larger the more predictions it stands for.',
    options: {
      ...byModel(points, [
        Plot.link([0], { x1: 0, y1: 0, x2: 1, y2: 1, strokeDasharray: '4 3', stroke: 'currentColor' }),
        Plot.line(points, { ...place, stroke: 'encoding', z: 'encoding' }),
        Plot.dot(points, { ...place, fill: 'encoding', r: 'count' }),
      ]),
      x: { label: 'mean predicted probability', domain: [0, 1], grid: true },
      y: { label: 'share defective', domain: [0, 1], grid: true },
      r: { range: [1.5, 9] },
    },
  });
}

function sensitivity({ statistics, cells, folds }: StudyResults): Figure | undefined {
  const rows = statistics.counterfactuals.flatMap(({ model, encoding, counterfactual }) => {
    const ofEncoding = averageFolds(cells, folds).filter((cell) => cell.model === model && cell.encoding === encoding);
    const original = new Map(ofEncoding.filter((cell) => !cell.counterfactual).map(({ seed, f1 }) => [seed, f1]));
    return ofEncoding
      .filter((cell) => cell.counterfactual === counterfactual && original.has(cell.seed))
      .map((cell) => ({ model, shown: shownName(cell), x: cell.f1 - original.get(cell.seed)! }));
  });
  if (rows.length === 0) return undefined;
  return dots(rows, {
    name: 'sensitivity',
    title: 'Change of F1 under each counterfactual, every seed shown',
    alternative: 'Dots left of zero are falls; a model that reads the change should fall.',
    x: { label: 'F1 under the counterfactual − F1', grid: true },
    marks: [Plot.ruleX([0])],
  });
}

function learningCurves({ curves }: StudyResults): Figure[] {
  const points = curves.flatMap(({ model, encoding, learning }) =>
    learning.map((epoch) => ({ ...epoch, model, encoding })),
  );
  const curve = (name: string, title: string, label: string, y: 'validationF1' | 'trainLoss'): Figure[] => {
    const known = points.filter((point) => point[y] !== null);
    if (known.length === 0) return [];
    const figure = draw({
      name,
      title,
      alternative: 'One line for each encoding, a panel for each model.',
      options: {
        ...byModel(known, [
          Plot.line(known, { x: 'epoch', y, fy: 'model', stroke: 'encoding', z: 'encoding', strokeWidth: 2 }),
        ]),
        x: { label: 'epoch', tickFormat: 'd', grid: true },
        y: { label, grid: true },
      },
    });
    return [figure];
  };
  return [
    ...curve('learning', 'Validation F1 after each epoch, mean over seeds', 'validation F1', 'validationF1'),
    ...curve('training-loss', 'Training loss of each epoch, mean over seeds', 'loss', 'trainLoss'),
  ];
}

function marginFor(labels: readonly string[]): number {
  return 20 + 6.5 * Math.max(...labels.map(({ length }) => length));
}
