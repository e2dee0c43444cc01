import { RedefError } from '@redef/core';
import type { CompiledGraph } from './compile.js';

/** A graph that ONNX Runtime does not take. */
export function loadError(cause: unknown, provider: string): RedefError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new RedefError(`ONNX Runtime could not load the graph for provider '${provider}': ${message}`, {
    code: 'load-failed',
    remedy: "Check that the installed onnxruntime-node has the provider, or use provider: 'cpu'.",
    cause,
  });
}

/** Names the line that asked for the op which failed, and tells a lack of memory apart. */
export function runError(cause: unknown, { lines }: CompiledGraph): RedefError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const node = [...message.matchAll(/Name:'([^']*)'/g)].map(([, name]) => name!).findLast((name) => lines.has(name)); // innermost
  const line = node === undefined ? undefined : lines.get(node);
  const where = line ? `${line}: ` : '';
  if (/bad_alloc|allocate memory|out of memory/i.test(message)) {
    return new RedefError(`${where}not enough memory: ${message}`, {
      code: 'out-of-memory',
      remedy: 'Lower the batch size or the length of the sequences.',
      cause,
    });
  }
  return new RedefError(`${where}the run failed: ${message}`, {
    code: 'run-failed',
    remedy: 'Check what the graph computes from the values fed: an id outside its table is the usual cause.',
    cause,
  });
}
