import { createRng } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CacheLayout, emptyLayout, planStep } from './cache-plan.js';

// A model of the cache: what each slot holds is written down as the text of the tokens up to it.

test('every row sees exactly its own past, wherever its slots have gone, and slots nobody sees are dropped', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 9 }),
      (seed, samples, width, steps) => {
        const rng = createRng(seed);
        const heads = 2;
        let layout: CacheLayout = emptyLayout(samples);
        let texts = Array.from({ length: samples }, (_, sample) => `${sample}:`);
        let contents: string[] = Array.from({ length: samples * heads }, () => 'nothing');
        for (let step = 0; step < steps && texts.length > 0; step++) {
          // Some samples end; one that goes on has from 1 to `width` rows, each from any row it had.
          const parents = layout.rows.flatMap(({ sample }, row) => {
            const own = layout.rows.flatMap((other, index) => (other.sample === sample ? [index] : []));
            if (own[0] !== row || rng.next() < 0.1) return [];
            const count = step === 0 ? 1 : 1 + rng.integer(width);
            return Array.from({ length: count }, () => own[rng.integer(own.length)]!);
          });
          if (parents.length === 0) break;
          const tokens = Int32Array.from(parents, () => rng.integer(5));
          const plan = planStep(layout, Int32Array.from(parents), tokens, { heads, paddingToken: 0 });
          const next = parents.map((parent, row) => `${texts[parent]}${tokens[row]}`);

          const slots = plan.keptSlots + plan.beams;
          const rowAt = (sample: number, beam: number) => plan.grid[sample * plan.beams + beam]!;
          const nextContents = Array.from({ length: plan.samples.length * heads * slots }, (_, at) => {
            const [slot, head] = [at % slots, Math.floor(at / slots) % heads];
            const sample = Math.floor(at / slots / heads);
            if (slot >= plan.keptSlots) return next[rowAt(sample, slot - plan.keptSlots)]!;
            return contents[plan.kept[(sample * heads + head) * plan.keptSlots + slot]!]!;
          });
          for (const [row, { sample, path }] of plan.next.rows.entries()) {
            const place = plan.places[row]!;
            expect(plan.grid[place]).toBe(row);
            expect(Math.floor(place / plan.beams)).toBe(sample);
            const seen = Array.from({ length: slots }, (_, slot) => slot).filter(
              (slot) => plan.visible[place * slots + slot] === 0,
            );
            expect([...path].sort((a, b) => a - b)).toEqual(seen);
            const text = next[row]!;
            const start = text.indexOf(':') + 1;
            for (let head = 0; head < heads; head++) {
              expect(Array.from(path, (slot) => nextContents[(sample * heads + head) * slots + slot])).toEqual(
                Array.from(path, (_, at) => text.slice(0, start + at + 1)),
              );
            }
            expect(Array.from(path, (slot) => plan.distances[sample * slots + slot])).toEqual(
              Array.from(path, (_, at) => step - at),
            );
            expect(plan.counts[row]).toBe(tokens[row] === 0 ? 0 : text.slice(start).replaceAll('0', '').length);
          }
          const visited = (sample: number) =>
            new Set(plan.next.rows.filter((r) => r.sample === sample).flatMap((r) => [...r.path.slice(0, -1)]));
          expect(plan.keptSlots).toBe(Math.max(1, ...plan.samples.map((_, sample) => visited(sample).size)));
          layout = plan.next;
          texts = next;
          contents = nextContents;
        }
      },
    ),
    { numRuns: 200 },
  );
});
