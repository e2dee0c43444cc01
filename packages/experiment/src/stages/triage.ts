import { dirname, join } from 'node:path';
import { Counter, RedefError } from '@redef/core';
import { readManifest, writeFileAtomic, writeJsonlTables } from '@redef/core/files';
import {
  type Candidate,
  cleanRubric,
  defectiveRubric,
  promptVersion,
  type Rule,
  renderTable1,
  type TriageEvent,
  triage,
  type VoteCache,
  type Voter,
} from '@redef/triage';
import { readTable, tableInputs } from '../folders.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

export interface TriageStageInput {
  /** Folder with changes.jsonl and evidence.jsonl. */
  mined: string;
  /** Those of the folder to take. Default: every project that is there. */
  projects?: readonly string[];
  out: string;
  voters: readonly Voter[];
  /** Default 3. */
  ballots?: number;
  /** Default `unanimous-ab`. */
  rule?: Rule;
  /** Keeps votes across runs that are stopped. */
  cache?: VoteCache;
  /** Calls under way at once. Default 8. */
  concurrency?: number;
  /** Told of retries, batches and changes of pace; progress goes to the stage's own `onEvent`. */
  onTriageEvent?: (event: TriageEvent) => void;
}

/** Writes `votes.jsonl`, `labels.jsonl`, `rejects.jsonl`, `summary.json` and Table 1 as `table-1.md`. Memory holds ids. */
export async function triageStage(input: TriageStageInput, options: StageOptions = {}): Promise<StageResult> {
  const {
    mined,
    projects,
    out,
    voters,
    ballots = 3,
    rule = 'unanimous-ab',
    cache,
    concurrency = 8,
    onTriageEvent,
  } = input;
  const changes = await tableInputs('mined', mined, 'changes.jsonl', projects);
  const evidence = await tableInputs('mined', mined, 'evidence.jsonl', projects);
  return runStage(
    {
      name: 'triage',
      folder: out,
      inputFiles: { ...changes, ...evidence },
      config: {
        ballots,
        rule,
        voters: voters.map(({ id, parameters = {} }) => ({ id, parameters })),
        prompt: promptVersion,
        rubrics: [defectiveRubric.id, cleanRubric.id],
      },
      run: async ({ signal, onEvent }) => {
        const read = signal ? { signal } : {};
        const rejected = new Counter();
        let kept = 0;
        const candidates = joinCandidates(Object.values(changes), Object.values(evidence), read);
        const total = await countCandidates(Object.values(changes));
        const paths = {
          votes: join(out, 'votes.jsonl'),
          labels: join(out, 'labels.jsonl'),
          rejects: join(out, 'rejects.jsonl'),
        };
        const summary = await writeJsonlTables(paths, async (write) => {
          const rows = triage(candidates, {
            voters,
            ballots,
            rule,
            concurrency,
            ...read,
            ...(cache && { cache }),
            ...(total !== undefined && { total }),
            onEvent: (event) => {
              if (event.type === 'progress') onEvent?.(event);
              else onTriageEvent?.(event);
            },
          });
          for (;;) {
            const next = await rows.next();
            if (next.done) return next.value;
            const { votes, label, reject } = next.value;
            for (const vote of votes) await write('votes', vote);
            if (label) {
              kept++;
              await write('labels', label);
            }
            if (reject) {
              rejected.add(reject.reason);
              await write('rejects', reject);
            }
          }
        });
        await writeFileAtomic(join(out, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
        await writeFileAtomic(join(out, 'table-1.md'), renderTable1(summary));
        return {
          outputs: ['votes.jsonl', 'labels.jsonl', 'rejects.jsonl', 'summary.json', 'table-1.md'],
          counts: { in: kept + rejected.total, kept, dropped: rejected.toJSON() },
          details: { rule_based: summary.rule_based },
        };
      },
    },
    options,
  );
}

/** The candidates of a mined folder, in its order. */
export async function* readCandidates(
  mined: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<Candidate, void, undefined> {
  const changes = await tableInputs('mined', mined, 'changes.jsonl');
  const evidence = await tableInputs('mined', mined, 'evidence.jsonl');
  yield* joinCandidates(Object.values(changes), Object.values(evidence), options);
}

/** As the manifests tell it; `undefined` where one is missing. */
async function countCandidates(changeFiles: readonly string[]): Promise<number | undefined> {
  let total = 0;
  for (const file of changeFiles) {
    const manifest = await readManifest(dirname(file)).catch(() => undefined);
    if (!manifest) return undefined;
    total += manifest.counts.kept;
  }
  return total;
}

/** The two tables of a mined folder stand in one order, so that they join without holding either. */
async function* joinCandidates(
  changeFiles: readonly string[],
  evidenceFiles: readonly string[],
  options: { signal?: AbortSignal },
): AsyncGenerator<Candidate, void, undefined> {
  const evidence = readTable('redef.evidence/1', evidenceFiles, options);
  for await (const change of readTable('redef.change/1', changeFiles, options)) {
    const next = await evidence.next();
    if (next.done || next.value.id !== change.id) throw notOneRun(change.id);
    yield { change, evidence: next.value };
  }
  const surplus = await evidence.next();
  if (!surplus.done) throw notOneRun(surplus.value.id);
}

function notOneRun(id: string): RedefError {
  return new RedefError(`changes.jsonl and evidence.jsonl do not go together: they part at ${id}`, {
    code: 'tables-differ',
    remedy: 'Pass a folder that one run of redef mine wrote.',
  });
}
