/** A call's own abort: the caller's signal, or its time. It spans the whole response, which the client's time-out does not. */
export class Watch {
  timedOut = false;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #abort = () => this.#controller.abort();

  constructor(
    private readonly outer: AbortSignal | undefined,
    timeoutMs: number,
  ) {
    this.#timer = setTimeout(() => {
      this.timedOut = true;
      this.#abort();
    }, timeoutMs);
    outer?.addEventListener('abort', this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.outer?.removeEventListener('abort', this.#abort);
  }
}
