/** The same words twice: as plain text, and as LaTeX ready to paste. */
export interface Wording {
  sentence: string;
  latex: string;
}

const special: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '×': '$\\times$',
  '→': '$\\rightarrow$',
  '≥': '$\\geq$',
};

const escapeLatex = (text: string): string =>
  text.replace(/[\\~^×→≥&%#_{}$]/g, (character) => special[character] ?? `\\${character}`);

/** A template whose plain values are escaped for LaTeX and whose wordings are set in each form. The literal text must be safe in both. */
export function say(strings: TemplateStringsArray, ...values: readonly (string | number | Wording)[]): Wording {
  let sentence = strings[0]!;
  let latex = strings[0]!.replaceAll('%', '\\%');
  values.forEach((value, i) => {
    const wording = typeof value === 'object' ? value : { sentence: `${value}`, latex: escapeLatex(`${value}`) };
    sentence += wording.sentence + strings[i + 1]!;
    latex += wording.latex + strings[i + 1]!.replaceAll('%', '\\%');
  });
  return { sentence, latex };
}

/** `symbol = value`, the symbol in plain letters and in LaTeX's. */
export function equal(plain: string, latex: string, value: string): Wording {
  return { sentence: `${plain} = ${minus(value)}`, latex: `$${latex} = ${value}$` };
}

const minus = (value: string) => value.replaceAll('-', '−');
/** A number by itself, with a true minus sign in each form. */
export const plain = (value: string): Wording => ({ sentence: minus(value), latex: `$${value}$` });

/** `p < .001`, or three decimals without the leading zero, as journals print it. */
export function pValue(p: number): Wording {
  const text = p < 0.001 ? '< .001' : p > 0.9995 ? '= 1.000' : `= ${p.toFixed(3).replace(/^0/, '')}`;
  return { sentence: `p ${text}`, latex: `$p ${text}$` };
}

/** Two decimals: test statistics, kappas, effect sizes. */
export const two = (value: number): string => value.toFixed(2).replace(/^-(0\.00)$/, '$1');

/** Four decimals below ten, as the papers print scores, and fewer above. */
export function score(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const text = Math.abs(value) < 10 ? value.toFixed(4) : Number(value.toPrecision(6)).toString();
  return text.replace(/^-(0\.0+)$/, '$1');
}

/** A share of one as a percentage. */
export const percent = (share: number): string => `${Number((100 * share).toPrecision(4))}`;

export function interval({ level, low, high }: { level: number; low: number; high: number }): Wording {
  const ends = `[${score(low)}, ${score(high)}]`;
  return {
    sentence: `${percent(level)}% CI ${minus(ends)}`,
    latex: `${percent(level)}\\% CI $${ends.replaceAll('∞', '\\infty')}$`,
  };
}

export function joined(parts: readonly Wording[], separator = '; '): Wording {
  return {
    sentence: parts.map((part) => part.sentence).join(separator),
    latex: parts.map((part) => part.latex).join(separator),
  };
}
