import { fail, type Numbers } from '../checks.js';

export interface Factor {
  name: string;
  /** Names of the levels in the order of the values. Default `1`, `2`, ... */
  levels?: readonly string[];
}

export interface Design {
  subjects: number;
  /** Both factors with their levels named. */
  factors: readonly [Required<Factor>, Required<Factor>];
}

/** Values by subject, level of the first factor and level of the second: `[subject][a][b]`. */
export type TwoWayValues = readonly (readonly Numbers[])[];

/** Checks that the table is complete: two subjects and two levels of each factor or more, a finite value in every cell. */
export function checkDesign(values: TwoWayValues, factors: readonly [Factor, Factor]): Design {
  const subjects = values.length;
  const levelsA = values[0]?.length ?? 0;
  const levelsB = values[0]?.[0]?.length ?? 0;
  if (subjects < 2 || levelsA < 2 || levelsB < 2) {
    fail(
      'too-few-cells',
      `A two-way repeated-measures ANOVA needs at least 2 subjects and 2 levels of each factor, got ${subjects} subjects, ${levelsA} x ${levelsB} levels`,
      'Pass values[subject][a][b]; for one factor use friedman or paired tests.',
    );
  }
  const named = factors.map((factor, i) => {
    const count = i === 0 ? levelsA : levelsB;
    const levels = factor.levels ?? Array.from({ length: count }, (_, level) => `${level + 1}`);
    if (levels.length !== count) {
      fail(
        'invalid-option',
        `Factor ${factor.name} names ${levels.length} levels, but the values have ${count}`,
        'Name every level once, in the order of the values.',
      );
    }
    return { name: factor.name, levels };
  }) as [Required<Factor>, Required<Factor>];
  const [a, b] = named;
  values.forEach((table, subject) => {
    for (let i = 0; i < Math.max(levelsA, table.length); i++) {
      for (let j = 0; j < Math.max(levelsB, table[i]?.length ?? 0); j++) {
        if (i < levelsA && j < levelsB && Math.abs(table[i]?.[j] ?? Number.NaN) < 1e150) continue;
        fail(
          'missing-cells',
          `Subject ${subject}, ${a.name} ${a.levels[i] ?? i}, ${b.name} ${b.levels[j] ?? j}: expected one finite value per cell of ${levelsA} x ${levelsB}, got ${String(table[i]?.[j])}`,
          'Run the missing cell, or leave that subject out of every cell and say so.',
        );
      }
    }
  });
  return { subjects, factors: named };
}
