import { fail, isNumber, type Numbers, requireArray } from '../checks.js';

export interface Factor {
  name: string;
  /** Names of the levels in the order of the values. Default `1`, `2`, ... */
  levels?: readonly string[];
}

/** A factor, or its name alone. */
export type FactorOption = Factor | string;

export interface Design {
  subjects: number;
  /** Both factors with their levels named. */
  factors: readonly [Required<Factor>, Required<Factor>];
}

/** Values by subject, level of the first factor and level of the second: `[subject][a][b]`. */
export type TwoWayValues = readonly (readonly Numbers[])[];

/** Checks that the table is complete: two subjects and two levels of each factor or more, a finite value in every cell. */
export function checkDesign(values: TwoWayValues, options: readonly [FactorOption, FactorOption]): Design {
  requireArray(values, 'values');
  const factors = factorsOf(options);
  const subjects = values.length;
  const levelsA = values[0]?.length ?? 0;
  const levelsB = values[0]?.[0]?.length ?? 0;
  if (subjects < 2 || levelsA < 2 || levelsB < 2) {
    fail(
      'too-few-cells',
      `A two-way repeated-measures ANOVA needs at least 2 subjects and 2 levels of each factor, got ${subjects} subjects, ${levelsA} x ${levelsB} levels`,
      'Pass values[subject][a][b]; for one factor use friedmanTest or paired tests.',
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
  Array.from(values).forEach((table, subject) => {
    for (let i = 0; i < Math.max(levelsA, table?.length ?? 0); i++) {
      for (let j = 0; j < Math.max(levelsB, table?.[i]?.length ?? 0); j++) {
        if (i < levelsA && j < levelsB && isNumber(table?.[i]?.[j], -1e150, 1e150)) continue;
        fail(
          'missing-cells',
          `Subject ${subject}, ${a.name} ${a.levels[i] ?? i}, ${b.name} ${b.levels[j] ?? j}: expected one finite value per cell of ${levelsA} x ${levelsB}, got ${String(table?.[i]?.[j])}`,
          'Run the missing cell, or leave that subject out of every cell and say so.',
        );
      }
    }
  });
  return { subjects, factors: named };
}

function factorsOf(options: readonly [FactorOption, FactorOption]): readonly Factor[] {
  const complete = (factor: Partial<Factor> | null | undefined): boolean =>
    typeof factor?.name === 'string' &&
    (factor.levels === undefined ||
      (Array.isArray(factor.levels) &&
        factor.levels.every((level) => typeof level === 'string') &&
        new Set(factor.levels).size === factor.levels.length));
  const given: unknown = options;
  if (Array.isArray(given)) {
    const factors = given.map((factor) => (typeof factor === 'string' ? { name: factor } : factor));
    if (factors.length === 2 && factors.every(complete) && factors[0].name !== factors[1].name) return factors;
  }
  return fail(
    'invalid-option',
    'factors must be two factors with names of their own, and levels, if named, each by a name of its own',
    "Pass factors: ['Model', { name: 'Encoding', levels: ['Diff', 'After-only'] }], say.",
  );
}
