import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { shownName } from '../cells/cell.js';
import { averageFolds } from '../evaluate.js';
import type { StudyData, StudyResults } from '../results.js';

/** A picture of a study: an SVG that stands alone, and what it shows in words. */
export interface Figure {
  /** File name without the ending. */
  name: string;
  title: string;
  /** For readers who do not see it. */
  alternative: string;
  svg: string;
}

// Okabe and Ito's colours: told apart by the colour-blind, readable on white and on black.
const palette = ['#e69f00', '#56b4e9', '#009e73', '#d55e00', '#cc79a7', '#0072b2', '#b2a000'];
const width = 640;

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
      color: { domain: ['defective', 'clean'], range: [palette[3]!, palette[5]!], legend: true },
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

function f1ByEncoding({ cells, trivial }: StudyResults): Figure | undefined {
  const rows = averageFolds(cells).filter(({ counterfactual }) => counterfactual === undefined);
  if (rows.length === 0) return undefined;
  const baseline = trivial.find(({ name }) => name === 'all defective');
  return draw({
    name: 'f1-by-encoding',
    title: 'F1 by encoding, every seed shown; the dashed line calls every change defective',
    alternative: 'One dot a seed and a tick at the mean, for each encoding and model.',
    options: {
      height: 80 + 34 * new Set(rows.map(({ model, encoding }) => `${model} ${encoding}`)).size,
      marginLeft: marginFor(rows.map(({ encoding }) => encoding)),
      x: { label: 'F1', domain: [0, 1], grid: true },
      y: { label: null, domain: [...new Set(rows.map(({ encoding }) => encoding))] },
      color: colours(rows.map(({ model }) => model)),
      marks: [
        ...(baseline ? [Plot.ruleX([baseline.f1], { strokeDasharray: '4 3' })] : []),
        Plot.dot(rows, { x: 'f1', y: 'encoding', stroke: 'model', r: 4 }),
        Plot.tickX(rows, Plot.groupY({ x: 'mean' }, { x: 'f1', y: 'encoding', stroke: 'model', strokeWidth: 3 })),
      ],
    },
  });
}

/** One panel a model, one colour an encoding. */
function byModel<Point extends { model: string; encoding: string }>(points: readonly Point[]) {
  const models = new Set(points.map(({ model }) => model)).size;
  return {
    height: 60 + 260 * models,
    ...(models > 1 && { marginRight: marginFor(points.map(({ model }) => model)) }),
    fy: { label: null, padding: 0.12 },
    color: colours(points.map(({ encoding }) => encoding)),
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
      ...byModel(points),
      x: { label: 'recall', domain: [0, 1], grid: true },
      y: { label: 'precision', domain: [0, 1], grid: true },
      marks: [
        Plot.line(points, {
          x: 'recall',
          y: 'precision',
          fy: 'model',
          stroke: 'encoding',
          z: 'encoding',
          strokeWidth: 2,
        }),
      ],
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
      ...byModel(points),
      x: { label: 'mean predicted probability', domain: [0, 1], grid: true },
      y: { label: 'share defective', domain: [0, 1], grid: true },
      r: { range: [1.5, 9] },
      marks: [
        Plot.link([0], { x1: 0, y1: 0, x2: 1, y2: 1, strokeDasharray: '4 3', stroke: 'currentColor' }),
        Plot.line(points, { ...place, stroke: 'encoding', z: 'encoding' }),
        Plot.dot(points, { ...place, fill: 'encoding', r: 'count' }),
      ],
    },
  });
}

function sensitivity({ statistics, cells }: StudyResults): Figure | undefined {
  const rows = statistics.counterfactuals.flatMap(({ model, encoding, counterfactual }) => {
    const ofEncoding = averageFolds(cells).filter((cell) => cell.model === model && cell.encoding === encoding);
    const original = new Map(ofEncoding.filter((cell) => !cell.counterfactual).map(({ seed, f1 }) => [seed, f1]));
    return ofEncoding
      .filter((cell) => cell.counterfactual === counterfactual && original.has(cell.seed))
      .map((cell) => ({ model, shown: shownName(cell), change: cell.f1 - original.get(cell.seed)! }));
  });
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ shown }) => shown))];
  return draw({
    name: 'sensitivity',
    title: 'Change of F1 under each counterfactual, every seed shown',
    alternative: 'Dots left of zero are falls; a model that reads the change should fall.',
    options: {
      height: 80 + 34 * names.length,
      marginLeft: marginFor(names),
      x: { label: 'F1 under the counterfactual − F1', grid: true },
      y: { label: null, domain: names },
      color: colours(rows.map(({ model }) => model)),
      marks: [
        Plot.ruleX([0]),
        Plot.dot(rows, { x: 'change', y: 'shown', stroke: 'model', r: 4 }),
        Plot.tickX(rows, Plot.groupY({ x: 'mean' }, { x: 'change', y: 'shown', stroke: 'model', strokeWidth: 3 })),
      ],
    },
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
        ...byModel(known),
        x: { label: 'epoch', tickFormat: 'd', grid: true },
        y: { label, grid: true },
        marks: [Plot.line(known, { x: 'epoch', y, fy: 'model', stroke: 'encoding', z: 'encoding', strokeWidth: 2 })],
      },
    });
    return [figure];
  };
  return [
    ...curve('learning', 'Validation F1 after each epoch, mean over seeds', 'validation F1', 'validationF1'),
    ...curve('training-loss', 'Training loss of each epoch, mean over seeds', 'loss', 'trainLoss'),
  ];
}

/** One colour a name, in the order in which the names come. */
export function colours(names: readonly string[]): Plot.ScaleOptions {
  const domain = [...new Set(names)];
  return { legend: true, domain, range: domain.map((_, i) => palette[i % palette.length]!) };
}

function marginFor(labels: readonly string[]): number {
  return 20 + 6.5 * Math.max(...labels.map(({ length }) => length));
}

/**
 * Draws with a document of its own. Plot puts a legend beside the chart as HTML: here it becomes a line of coloured words
 * above the chart, inside the one SVG, so that a file shows all of it.
 */
export function draw({
  name,
  title,
  alternative,
  options,
}: Omit<Figure, 'svg'> & { options: Plot.PlotOptions }): Figure {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const { color, ...rest } = options;
  const svg = Plot.plot({
    width,
    document: document as unknown as NonNullable<Plot.PlotOptions['document']>,
    style: { background: 'transparent', color: 'currentColor' },
    ...rest,
    color: { ...color, legend: false },
  });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${title}. ${alternative}`);
  svg.querySelector('style')?.remove();
  svg.removeAttribute('class');
  const scale = color?.legend
    ? (svg as unknown as { scale(name: 'color'): Plot.Scale | undefined }).scale('color')
    : undefined;
  const text = scale ? withLegend(svg.outerHTML, scale) : svg.outerHTML;
  return { name, title, alternative, svg: text };
}

const legendLine = 18;

function withLegend(svg: string, { domain, range }: Plot.Scale): string {
  const names = [...(domain as Iterable<string>)];
  const colours = [...(range as Iterable<string>)];
  let x = 12;
  let y = 12;
  const words = names.map((name, i) => {
    const advance = 28 + 6.6 * name.length;
    if (x + advance > width) {
      x = 12;
      y += legendLine;
    }
    const word = `<rect x="${x}" y="${y - 8}" width="10" height="10" fill="${colours[i % colours.length]}"></rect><text x="${x + 15}" y="${y + 1}" font-size="12" text-anchor="start">${escapeXml(name)}</text>`;
    x += advance;
    return word;
  });
  const height = y + 10;
  const [, chartHeight] = /height="([\d.]+)"/.exec(svg)!;
  return svg
    .replace(/height="[\d.]+"/, `height="${Number(chartHeight) + height}"`)
    .replace(/viewBox="[^"]*"/, `viewBox="0 ${-height} ${width} ${Number(chartHeight) + height}"`)
    .replace(/>/, `><g transform="translate(0,${-height})">${words.join('')}</g>`);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!);
