import { setMaxListeners } from 'node:events';

/**
 * A signal of one's own that fires with the caller's. Hundreds of calls may listen to it without the warning that Node
 * prints at the eleventh, and the caller's gets a single listener, which `release` takes away.
 */
export function withManyListeners(outer: AbortSignal | undefined): {
  signal: AbortSignal;
  abort: (reason: unknown) => void;
  release: () => void;
} {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const abort = () => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => outer?.removeEventListener('abort', abort),
  };
}
