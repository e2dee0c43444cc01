const marker = Symbol.for('redef.error');

/** What a runner should do with the item at hand: end the run, leave this record out, or try it again. */
export type Disposition = 'abort' | 'skip' | 'retry';

export interface RedefErrorOptions {
  /** Stable, kebab-case: what callers switch on (`jsonl-syntax`, `not-a-repository`). */
  code: string;
  /** The next command or option to try, as a sentence. */
  remedy: string;
  /** `'abort'` unless said otherwise. */
  disposition?: Disposition;
  cause?: unknown;
}

/**
 * The one error class of every `@redef` package. The message says what was expected, what arrived and where
 * (record id, `file:line`); `remedy` says what to try next. No message ever holds a key.
 */
export class RedefError extends Error {
  readonly code: string;
  readonly remedy: string;
  readonly disposition: Disposition;
  readonly [marker] = true;

  constructor(message: string, { code, remedy, disposition = 'abort', cause }: RedefErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RedefError';
    this.code = code;
    this.remedy = remedy;
    this.disposition = disposition;
  }

  /** True for a `RedefError` of any installed copy of this package (`instanceof` is not). */
  static isInstance(error: unknown): error is RedefError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
