/** What every long-running call accepts. Libraries never print: they tell of their progress through `onEvent`. */
export interface RunOptions<Event = ProgressEvent> {
  /** Stops the run: it throws a `RedefError` with code `aborted`, and what was finished stays valid. */
  signal?: AbortSignal;
  onEvent?: (event: Event) => void;
}

/** Progress of one named stage; `total` is absent while it is unknown. */
export interface ProgressEvent {
  type: 'progress';
  stage: string;
  done: number;
  total?: number;
  /** What is counted: `commits`, `rows`, `bytes`. */
  unit: string;
}
