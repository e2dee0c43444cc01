import { createDriver, Variables } from '@redef/autodiff';
import { expect, test } from 'vitest';
import { useSoftwareAdapter } from '../../../../scripts/software-adapter.js';
import golden from '../../test/fixtures/model-decoding.json' with { type: 'json' };
import { smallModel } from '../../test/small-models.js';
import { beamSearch } from '../decode/beam-search.js';
import { Seq2SeqDecoder } from './seq2seq-decoder.js';

useSoftwareAdapter();

test('decodes on the device of its variables: the same tokens on WebGPU', { timeout: 300_000 }, async ({ skip }) => {
  const driver = await createDriver('webgpu').catch(({ message, remedy }) => {
    console.warn(`SKIPPED: decoding on WebGPU. ${message}. ${remedy}`);
  });
  if (!driver) return skip();
  const { config, start: startToken, end: endToken, groups } = golden.t5;
  const { sources } = groups[0]!;
  const { decoder: model, variables: onCpu } = smallModel(config);
  const onDevice = new Variables(driver);
  for (const name of onCpu.names) {
    const { dtype, shape } = onCpu.get(name);
    onDevice.set({ name, dtype, shape }, (await onCpu.read(name)).slice());
  }
  const [expected, found] = await Promise.all(
    [onCpu, onDevice].map(async (variables) => {
      const decoder = await Seq2SeqDecoder.create(model, variables, { threads: 1 });
      const options = { startToken, endToken, maxNewTokens: 6, width: 3 };
      const hypotheses = await beamSearch(decoder, await decoder.encode(sources), sources.length, options);
      await decoder.close();
      return hypotheses.map((each) => each.map(({ tokens }) => tokens.join(' ')));
    }),
  );
  expect(found).toEqual(expected);
});
