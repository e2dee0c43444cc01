import * as v from 'valibot';
import { RedefError } from './errors.js';
import { type RecordOf, type RecordSchemaName, recordSchemas } from './records.js';

/**
 * Checks one row against the schema it must have.
 *
 * @param where names the row in the error: `changes.jsonl:17`
 * @throws `RedefError` `unknown-schema` (another version or kind, or a name that is no schema's) or `invalid-record` (names
 *   the member and what was expected)
 */
export function parseRecord<Name extends RecordSchemaName>(name: Name, row: unknown, where: string): RecordOf<Name> {
  if (!Object.hasOwn(recordSchemas, name)) {
    throw new RedefError(`${where}: there is no schema called ${String(name)}`, {
      code: 'unknown-schema',
      remedy: `Ask for one of ${Object.keys(recordSchemas).join(', ')}.`,
    });
  }
  const found = typeof row === 'object' && row !== null && 'schema' in row ? row.schema : undefined;
  if (found !== name) {
    throw new RedefError(`${where}: expected a ${name} row, found ${describeSchema(found)}`, {
      code: 'unknown-schema',
      remedy:
        typeof found === 'string' && found.split('/')[0] === name.split('/')[0]
          ? 'This file was written by another version: upgrade the packages or write the file again.'
          : `Pass a file whose rows carry "schema": "${name}".`,
    });
  }
  const result = v.safeParse(recordSchemas[name], row);
  if (!result.success) {
    const [issue] = result.issues;
    throw new RedefError(`${where}: ${v.getDotPath(issue) ?? 'row'}: ${issue.message}`, {
      code: 'invalid-record',
      remedy: 'Correct the row or write the file again with the stage that makes it.',
    });
  }
  return result.output as RecordOf<Name>;
}

function describeSchema(found: unknown): string {
  if (found === undefined) return 'a row without a "schema" member';
  return `"schema": ${JSON.stringify(found)?.slice(0, 80)}`;
}
