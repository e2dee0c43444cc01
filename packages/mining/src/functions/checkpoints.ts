import { semicolon } from './character-codes.js';
import type { Conditionals } from './conditionals.js';
import type { Conditional, FunctionSpan, ScannerState } from './scanner-state.js';
import type { SourceCursor } from './source-cursor.js';

/** A place between two declarations, from which a later scan of an edited file can go on. */
export interface Checkpoint {
  offset: number;
  line: number;
  /** How many functions end before it. */
  functions: number;
  context: CheckpointContext;
}

interface CheckpointContext {
  key: string;
  containers: readonly string[];
  conditionals: readonly Conditional[];
}

export interface FileScan {
  /** By position; none overlap. */
  functions: FunctionSpan[];
  balanced: boolean;
  checkpoints: Checkpoint[];
  lines: number;
}

/** An earlier scan of a file that shares its first `prefix` and last `suffix` bytes with the one at hand. */
export interface EarlierScan {
  scan: FileScan;
  bytes: Buffer;
  prefix: number;
  suffix: number;
}

/** Keeps the places of a scan from which a later one can go on, and goes on from those of an earlier one. */
export class Checkpoints {
  readonly list: Checkpoint[] = [];
  /** What is around the place at hand, shared by the checkpoints in a row; none where an arm left half a declaration. */
  #context: CheckpointContext | undefined = { key: '', containers: [], conditionals: [] };
  #containers: readonly string[];
  #version = 0;

  constructor(
    private readonly cursor: SourceCursor,
    private readonly state: ScannerState,
    private readonly conditionals: Conditionals,
    private readonly functions: FunctionSpan[],
  ) {
    this.#containers = state.containers;
  }

  /** Goes to the last checkpoint before the edit, with what was found up to there. */
  resume({ scan, prefix }: EarlierScan): void {
    let last = -1;
    for (let low = 0, high = scan.checkpoints.length - 1; low <= high; ) {
      const middle = (low + high) >> 1;
      // the byte at the checkpoint must be shared as well: it may begin a token with the one before
      if (scan.checkpoints[middle]!.offset < prefix) {
        last = middle;
        low = middle + 1;
      } else high = middle - 1;
    }
    if (last < 0) return;
    const { offset, line, functions, context } = scan.checkpoints[last]!;
    for (let i = 0; i <= last; i++) this.list.push(scan.checkpoints[i]!);
    for (let i = 0; i < functions; i++) this.functions.push(scan.functions[i]!);
    this.cursor.position = offset;
    this.cursor.line = line;
    this.state.containers = context.containers;
    for (const conditional of context.conditionals) this.conditionals.open.push({ ...conditional });
    this.#remember(context);
  }

  /** What an earlier scan found from a checkpoint on, where this one has come to the same place. */
  rest(scan: FileScan, index: number, here: Checkpoint, shift: number): Omit<FileScan, 'balanced'> {
    const from = scan.checkpoints[index]!;
    const lines = here.line - from.line;
    const added = this.functions.length - from.functions;
    for (let i = from.functions; i < scan.functions.length; i++) {
      const span = scan.functions[i]!;
      this.functions.push({
        name: span.name,
        startLine: span.startLine + lines,
        endLine: span.endLine + lines,
        start: span.start + shift,
        body: span.body + shift,
        end: span.end + shift,
        doubts: span.doubts,
      });
    }
    for (let i = index + 1; i < scan.checkpoints.length; i++) {
      const { offset, line, functions, context } = scan.checkpoints[i]!;
      this.list.push({ offset: offset + shift, line: line + lines, functions: functions + added, context });
    }
    return {
      functions: this.functions,
      checkpoints: this.list,
      lines: scan.lines + lines,
    };
  }

  /** Notes the place at hand, between two declarations, if a later scan can go on from it. */
  note(): boolean {
    const { cursor, state } = this;
    if (!state.clean) return false;
    // of the many declarations that end in `;` every eighth will do, chosen by what stands there so that edits elsewhere
    // leave the choice alone
    const last = cursor.position - 1;
    if (cursor.bytes[last] === semicolon && (cursor.bytes[last - 1]! & 7) !== 0) return false;
    if (this.#version !== this.conditionals.version || this.#containers !== state.containers) {
      this.#remember(this.#makeContext());
    }
    if (!this.#context) return false;
    this.list.push({
      offset: cursor.position,
      line: cursor.line,
      functions: this.functions.length,
      context: this.#context,
    });
    return true;
  }

  #remember(context: CheckpointContext | undefined): void {
    this.#context = context;
    this.#containers = this.state.containers;
    this.#version = this.conditionals.version;
  }

  #makeContext(): CheckpointContext | undefined {
    const keyOf = (containers: readonly string[]): string => `${containers.length}${containers.join('\n')}`;
    let key = keyOf(this.state.containers);
    for (const { before, after, constant } of this.conditionals.open) {
      if (!before.clean || (after && !after.clean)) return undefined;
      key += `\r${constant ?? ''}\t${keyOf(before.containers)}\t${after ? keyOf(after.containers) : ''}`;
    }
    return {
      key,
      containers: this.state.containers,
      conditionals: this.conditionals.open.map((open) => ({ ...open })),
    };
  }
}
