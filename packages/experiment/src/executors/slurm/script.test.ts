import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchScript } from './script.js';

const job = { name: 'redef-1', logs: '/study/logs', command: ['printf', '%s\\0'], cells: ['a', 'b'] };

test('options become directives, lines go where they belong, and the shell is replaced', () => {
  const script = batchScript(job, {
    partition: 'gpu',
    time: '1-12:00:00',
    memory: '16G',
    cpus: 4,
    gres: 'gpu:1',
    running: 8,
    lines: ['module load nodejs', '#SBATCH --qos=low'],
  });
  expect(script).toBe(`#!/bin/bash
#SBATCH --job-name=redef-1
#SBATCH --array=0-1%8
#SBATCH --output=/study/logs/%A_%a.log
#SBATCH --open-mode=append
#SBATCH --partition=gpu
#SBATCH --time=1-12:00:00
#SBATCH --mem=16G
#SBATCH --cpus-per-task=4
#SBATCH --gres=gpu:1
#SBATCH --requeue
#SBATCH --qos=low
module load nodejs
set -- 'a' 'b'
shift "$SLURM_ARRAY_TASK_ID"
exec 'printf' '%s\\0' "$1"
`);
});

test('every word reaches the command as it is', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/\p{Cc}/u.test(text));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), fc.array(word, { minLength: 1, maxLength: 3 }), (words, cells) => {
      const script = batchScript({ ...job, command: [...job.command, ...words], cells }, {});
      for (const [index, cell] of cells.entries()) {
        const output = execFileSync('bash', ['-s'], {
          input: script,
          env: { PATH: process.env.PATH, SLURM_ARRAY_TASK_ID: `${index}`, LC_ALL: 'C.UTF-8' },
        });
        expect(output.toString().split('\0')).toEqual([...words, cell, '']);
      }
    }),
    { numRuns: 30 },
  );
});

test.each([
  [{ ...job, logs: '/study\n#SBATCH --uid=0' }, {}],
  [{ ...job, logs: '/stu\\dy' }, {}],
  [{ ...job, command: ['a\r\nb'] }, {}],
  [job, { partition: 'a\nb' }],
  [job, { lines: ['true\nfalse'] }],
])('a line break or a path that Slurm cannot take is refused: %j', (hostile, resources) => {
  expect(() => batchScript(hostile, resources)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
});
