import { describe } from '@redef/stats';
import type { StudyStatistics } from '../statistics.js';

/** The analysis of variance in words, or why there is none; with the models that are not in it. */
export function anovaSentence({ anova, anovaAbsent, anovaLeftOut }: StudyStatistics): string {
  const sentence = anova ? describe(anova).sentence : `No two-way analysis of variance: ${anovaAbsent}.`;
  if (anovaLeftOut.length === 0) return sentence;
  return `${sentence} Left out of it: ${anovaLeftOut.map(({ model, reason }) => `${model} (${reason})`).join('; ')}.`;
}
