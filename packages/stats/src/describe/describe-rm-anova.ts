import type { RmAnova2Result, RmAnovaEffect } from '../anova/rm-anova.js';
import { magnitude } from '../effect/magnitude.js';
import { equal, escapeLatex, joined, pValue, say, two, type Wording } from './wording.js';

/** The sentence, and the table with the columns of ReDef's Table 4. */
export function describeRmAnova(result: RmAnova2Result): Wording {
  const wording = say`${result.method}, ${equal('n', 'n', `${result.n}`)} subjects. ${joined(result.effects.map(describeEffect))}.`;
  return { ...wording, latexTable: latexTable(result.effects) };
}

function describeEffect(effect: RmAnovaEffect): Wording {
  const df = `F(${effect.dfNumerator},${effect.dfDenominator})`;
  const { sphericity } = effect;
  const corrected = sphericity
    ? say` (Greenhouse-Geisser ${equal('ε', '\\varepsilon', two(sphericity.epsilonGreenhouseGeisser))}, ${pValue(sphericity.pGreenhouseGeisser)})`
    : '';
  const size = equal('η²p', '\\eta^{2}_{p}', two(effect.partialEtaSquared));
  return say`${effect.name}: ${equal(df, df, two(effect.f))}, ${pValue(effect.p)}${corrected}, ${size}, ${equal('f', 'f', two(effect.cohensF))} (${magnitude('partialEtaSquared', effect.partialEtaSquared)})`;
}

function latexTable(effects: readonly RmAnovaEffect[]): string {
  const rows = effects.map((effect) => {
    const p = pValue(effect.p).latex.replace(/^\$p (= )?/, '$');
    const cells = [
      two(effect.f),
      effect.dfNumerator,
      effect.dfDenominator,
      p,
      two(effect.partialEtaSquared),
      two(effect.cohensF),
    ];
    return `${escapeLatex(effect.name)} & ${cells.join(' & ')} \\\\`;
  });
  return [
    '\\begin{tabular}{lrrrrrr}',
    '\\hline',
    'Effect & $F$ & $df_{num}$ & $df_{den}$ & $p$ & $\\eta^{2}_{p}$ & $f$ \\\\',
    '\\hline',
    ...rows,
    '\\hline',
    '\\end{tabular}',
  ].join('\n');
}
