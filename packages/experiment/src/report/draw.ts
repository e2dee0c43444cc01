import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

/** A picture of a study: an SVG that stands alone, and what it shows in words. */
export interface Figure {
  /** File name without the ending. */
  name: string;
  title: string;
  /** For readers who do not see it. */
  alternative: string;
  svg: string;
}

// After Okabe and Ito, the bright ones darker: told apart by the colour-blind, three to one on white and on black.
export const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#9b8c00', '#3c96cc', '#7f868e'];
const width = 640;

/** One colour a name, in the order in which the names come. */
export function colours(names: readonly string[]): Plot.ScaleOptions {
  const domain = [...new Set(names)];
  return { legend: true, domain, range: domain.map((_, i) => palette[i % palette.length]!) };
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
