import type { Tensor } from '@redef/autodiff';

/**
 * The name under which a checkpoint holds a parameter, if it does. Public checkpoints of one architecture differ: saved
 * from the bare encoder (`embeddings...`), from a model around it (`roberta.embeddings...`), from a wrapper of a
 * fine-tuning script (`encoder.`, `module.`), or by an early library (`LayerNorm.gamma`).
 */
export function findName(parameter: string, has: (name: string) => boolean): string | undefined {
  const bare = parameter.replace(/^(roberta|encoder(?=\.(embeddings|encoder)\.))\./, '');
  const spellings = [parameter];
  for (const prefix of ['', 'roberta.', 'encoder.', 'model.', 'module.', 'module.encoder.']) {
    spellings.push(`${prefix}${bare}`);
  }
  if (parameter === 'shared.weight') spellings.push('encoder.embed_tokens.weight');
  for (const spelling of spellings) {
    const old = spelling.replace(/LayerNorm\.weight$/, 'LayerNorm.gamma').replace(/LayerNorm\.bias$/, 'LayerNorm.beta');
    if (has(spelling)) return spelling;
    if (has(old)) return old;
  }
  return undefined;
}

/** True for parameters that a published encoder does not have: heads and decoders that fine-tuning adds. */
export function isAddedByFineTuning({ name }: Tensor): boolean {
  return /^(classifier|dense|decoder\.layers)\./.test(name);
}
