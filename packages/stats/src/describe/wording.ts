/** The same words twice: as plain text, and as LaTeX ready to paste. */
export interface Wording {
  sentence: string;
  latex: string;
  /** A whole `tabular`, for results that papers print as a table. */
  latexTable?: string;
}

const special: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '×': '$\\times$',
  '→': '$\\rightarrow$',
  '←': '$\\leftarrow$',
  '↔': '$\\leftrightarrow$',
  '≥': '$\\geq$',
  '≤': '$\\leq$',
  '−': '$-$',
  // in the default font encoding these three would print as other signs
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
};

export const escapeLatex = (text: string): string =>
  text.replace(/[\\~^×→←↔≥≤−<>|&%#_{}$]/g, (character) => special[character] ?? `\\${character}`);

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

/** `p < .001`, else three decimals, four below .01, without the leading zero, as journals print it. */
export function pValue(p: number): Wording {
  const decimals = p < 0.01 ? 4 : 3;
  const text = p < 0.001 ? '< .001' : p > 0.9995 ? '= 1.000' : `= ${p.toFixed(decimals).replace(/^0/, '')}`;
  return { sentence: `p ${text}`, latex: `$p ${text}$` };
}

/** Two decimals: test statistics, kappas, effect sizes. */
export const two = (value: number): string => value.toFixed(2).replace(/^-(0\.00)$/, '$1');

/** Four decimals below ten, as the papers print scores; fewer above, and two significant digits below a thousandth. */
export function score(value: number): string {
  const size = Math.abs(value);
  if (size === Number.POSITIVE_INFINITY) return value > 0 ? '∞' : '-∞';
  if (size >= 10) return `${Number(value.toPrecision(6))}`;
  if (size >= 0.001 || size < 1e-12) return value.toFixed(4).replace(/^-(0\.0+)$/, '$1');
  return value.toFixed(1 - Math.floor(Math.log10(size)));
}

/** A share of one as a percentage, in four digits, or as many as keep all but 1 from being printed as 100. */
export function percent(share: number): string {
  let digits = 4;
  while (share < 1 && digits < 16 && Number((100 * share).toPrecision(digits)) === 100) digits++;
  return `${Number((100 * share).toPrecision(digits))}`;
}

export function interval({ level, low, high }: { level: number; low: number; high: number }): Wording {
  // A result that was kept as JSON has null where an end is infinite.
  const ends = `[${score(low ?? Number.NEGATIVE_INFINITY)}, ${score(high ?? Number.POSITIVE_INFINITY)}]`;
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
