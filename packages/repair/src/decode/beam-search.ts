import type { RunOptions } from '@redef/core';
import { checkInteger } from '../check-integer.js';
import { CodexglueBeam, type CodexglueRule } from './codexglue-beam.js';
import type { DecodeLimits, DecoderStep, Hypothesis } from './decoder-step.js';
import { checkHuggingFaceRule, HuggingFaceBeam, type HuggingFaceRule } from './hugging-face-beam.js';
import { checkLimits, runSteps } from './run-steps.js';

export interface BeamSearchOptions extends DecodeLimits {
  /** Beams for each sample: any number; the papers use 1, 3, 5, 10, 20, 30, 40 and 50. */
  width: number;
  /** Default Hugging Face's with length penalty 1 and early stopping off, as VulRepair used it (R+R, section 3.4.2). */
  rule?: HuggingFaceRule | CodexglueRule;
}

/**
 * Beam search over a batch: one decoder call a step for all beams of all samples. Samples that are done and beams that
 * have ended take part in no further call. Back-pointers take width x length for each sample.
 *
 * @param initial the decoder's state with one row for each sample
 * @returns for each sample up to `width` sequences, best first
 * @throws `RedefError` `invalid-option`, `invalid-decoder`, or `aborted`
 */
export async function beamSearch<State>(
  decoder: DecoderStep<State>,
  initial: State,
  samples: number,
  options: BeamSearchOptions,
  runOptions?: RunOptions,
): Promise<Hypothesis[][]> {
  const { width, rule = { name: 'hugging-face' }, ...limits } = options;
  checkLimits(decoder, samples, limits);
  checkInteger('width', width, 1);
  if (rule.name !== 'codexglue') checkHuggingFaceRule(rule);
  const beams = Array.from({ length: samples }, () =>
    rule.name === 'codexglue'
      ? new CodexglueBeam(width, decoder.vocabularySize, limits.endToken)
      : new HuggingFaceBeam(width, decoder.vocabularySize, limits, rule),
  );
  await runSteps(decoder, initial, beams, limits, runOptions);
  return beams.map((beam) => beam.finish());
}
