import { createRng, type Rng } from '@redef/core';
import type { ChangeText } from '@redef/encoders';

const syllables = 'ar ben cu dol em fa gri hu im jo kel lu mor na ost pe'.split(' ');
const types = ['struct list', 'char', 'struct buffer', 'struct node', 'FILE'];
const results = ['-1', '0', 'EINVAL', 'false'];

/**
 * Changes of C functions whose label depends on the direction of the edit alone: a guard taken out is 1, the same guard
 * put in is 0. Names, types, guards and what stands around them are drawn.
 */
export function guardChanges(seed: string, count: number): (ChangeText & { label: 0 | 1 })[] {
  const rng = createRng(`guards/${seed}`);
  return Array.from({ length: count }, (_, index) => {
    const label = rng.integer(2) as 0 | 1;
    const [guarded, bare] = functionPair(rng);
    return {
      id: `${seed}-${index}`,
      function_before: label === 1 ? guarded : bare,
      function_after: label === 1 ? bare : guarded,
      label,
    };
  });
}

function functionPair(rng: Rng): [guarded: string, bare: string] {
  const pick = (items: readonly string[]) => items[rng.integer(items.length)]!;
  const name = () => pick(syllables) + pick(syllables) + pick(syllables);
  const [fn, pointer, size, local, callee] = Array.from({ length: 5 }, name) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const guard = pick([`!${pointer}`, `${size} < 0`, `${pointer} == NULL || ${size} == 0`, `${size} > ${local}_max`]);
  const filler = () =>
    pick([
      `\t${local} += ${size};`,
      `\t${callee}(${pointer}, ${local});`,
      `\t${local} = ${local} << 1;`,
      `\t${name()}(${size});`,
    ]);
  const head = [
    `int ${fn}(${pick(types)} *${pointer}, int ${size})`,
    '{',
    `\tint ${local} = 0;`,
    ...Array.from({ length: rng.integer(3) }, filler),
  ];
  const tail = [...Array.from({ length: 1 + rng.integer(3) }, filler), `\treturn ${local};`, '}'];
  const guardLines = [`\tif (${guard})`, `\t\treturn ${pick(results)};`];
  return [[...head, ...guardLines, ...tail].join('\n'), [...head, ...tail].join('\n')];
}
