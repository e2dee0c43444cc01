import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import * as v from 'valibot';
import type { Document } from 'yaml';
import { paperSeeds } from '../seeds.js';
import { memberNames, nearestName } from './nearest-name.js';
import { type StudyFile, type StudyFileInput, studyFileSchema } from './schema.js';

/** Gives a study its types in a TypeScript or JavaScript file: `export default defineStudy({ ... })`. */
export function defineStudy(study: StudyFileInput): StudyFileInput {
  return study;
}

const modules = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);

/**
 * Reads and checks a study file: YAML (or JSON, which is YAML), or a module whose default export is the study. A module is
 * code and is run: read none that you would not run.
 *
 * @throws `RedefError` `file-missing`; `invalid-study`, which names the place in the file
 */
export async function readStudyFile(path: string): Promise<StudyFile> {
  const where = resolve(path);
  return modules.has(extname(where)) ? checkStudy(await loadModule(where), path) : readYaml(where, path);
}

/**
 * Checks a study at hand.
 *
 * @param name how errors name it
 * @throws `RedefError` `invalid-study`
 */
export function checkStudy(study: unknown, name = 'study'): StudyFile {
  const parsed = v.safeParse(studyFileSchema, study);
  if (parsed.success) return parsed.output;
  throw invalid(`${name}: ${describeIssue(parsed.issues[0])}`);
}

async function readYaml(path: string, name: string): Promise<StudyFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [problem] = document.errors;
  if (problem) throw invalid(`${placeOf(problem.pos[0])}: not YAML: ${problem.message}`, problem);
  const parsed = v.safeParse(studyFileSchema, contentOf(document, name));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const keys = (issue.path ?? []).map(({ key }) => key);
  throw invalid(`${placeOf(offsetOf(document, keys))}: ${describeIssue(issue)}`);
}

/** Aliases of aliases can stand for more than any memory holds: the parser stops at some. */
function contentOf(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw invalid(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

/** Where the deepest part of a path that is in the document begins. */
function offsetOf(document: Document.Parsed, keys: readonly unknown[]): number {
  for (let length = keys.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(keys.slice(0, length), true);
    if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range))
      return Number(node.range[0]);
  }
  return 0;
}

async function loadModule(path: string): Promise<unknown> {
  await readFile(path).catch((error: unknown) => {
    throw fileError(error, path);
  });
  try {
    const { createJiti } = await import('jiti');
    // A study may lie where nothing is installed.
    const virtualModules = { '@redef/experiment': { defineStudy, paperSeeds } };
    const jiti = createJiti(pathToFileURL(path).href, { fsCache: false, moduleCache: false, virtualModules });
    return await jiti.import(path, { default: true });
  } catch (cause) {
    throw invalid(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  const unknown = issue.type === 'strict_object' && issue.expected === 'never';
  const meant = unknown ? nearestName(String(issue.path?.at(-1)?.key), memberNames(studyFileSchema)) : undefined;
  const what = unknown ? `there is no such member${meant ? `; did you mean ${meant}?` : ''}` : issue.message;
  return path === null ? what : `${path}: ${what}`;
}

function invalid(message: string, cause?: unknown): RedefError {
  return new RedefError(message, {
    code: 'invalid-study',
    remedy: 'Correct that place; the README of @redef/experiment lists every member with its default.',
    cause,
  });
}
