import { type Category, categorySchema } from '@redef/core';
import * as v from 'valibot';
import type { Evidence } from './evidence.js';

const answerSchema = v.strictObject({
  category: categorySchema,
  rationale: v.pipe(v.string(), v.trim(), v.minLength(1)),
  quotes: v.array(v.string()),
});

/** A voter's structured answer. */
export interface Answer {
  category: Category;
  rationale: string;
  quotes: string[];
}

/** The same shape as a JSON schema that structured output accepts in strict mode: every member required, none added. */
export const answerJsonSchema = {
  type: 'object',
  properties: {
    category: { type: 'string', enum: ['A', 'B', 'C'] },
    rationale: { type: 'string', description: 'One sentence.' },
    quotes: { type: 'array', items: { type: 'string' }, description: 'Passages copied word for word.' },
  },
  required: ['category', 'rationale', 'quotes'],
  additionalProperties: false,
} as const;

/** The answer in a text, or in one sentence why it is none. Nothing is guessed: an answer outside the schema is no vote. */
export function parseAnswer(text: string): Answer | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'the answer is not JSON' };
  }
  const result = v.safeParse(answerSchema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  return { problem: `the answer does not fit the schema: ${v.getDotPath(issue) ?? 'answer'}: ${issue.message}` };
}

/** Tells which quotes do not stand in the evidence (white space aside): words the voter made up. */
export function quoteChecker(evidence: Evidence): (quotes: readonly string[]) => string[] {
  let haystack: string | undefined;
  return (quotes) => {
    return quotes.filter((quote) => {
      if (evidence.sections.some(({ text }) => text.includes(quote))) return false;
      haystack ??= evidence.sections.map(({ text }) => squeeze(text)).join('\n');
      return !haystack.includes(squeeze(quote));
    });
  };
}

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();
