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

/**
 * The answer in a text, or in one sentence why it is none. Nothing is guessed: an answer outside the schema is no vote, nor
 * is one that says a thing twice. White space around it, a byte order mark too, is passed over.
 */
export function parseAnswer(text: string): Answer | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text.trim());
  } catch {
    return { problem: 'the answer is not JSON' };
  }
  const twice = repeatedName(text);
  if (twice !== undefined) return { problem: `the answer has the member ${twice} twice` };
  const result = v.safeParse(answerSchema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  return { problem: `the answer does not fit the schema: ${v.getDotPath(issue) ?? 'answer'}: ${issue.message}` };
}

/** A name that stands twice in an object's text, of which a parser would keep the last alone. The text must be JSON. */
function repeatedName(json: string): string | undefined {
  const names = new Set<string>();
  const colon = /\s*:/y;
  let depth = 0;
  for (let place = 0; place < json.length; place++) {
    const character = json[place]!;
    if ('{['.includes(character)) depth++;
    else if ('}]'.includes(character)) depth--;
    if (character !== '"') continue;
    const start = place;
    while (json[++place] !== '"') if (json[place] === '\\') place++;
    colon.lastIndex = place + 1;
    if (depth !== 1 || !colon.test(json)) continue;
    const name = JSON.parse(json.slice(start, place + 1)) as string;
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
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
