/** Seeds of ReDef, section 4.4. */
export const paperSeeds: readonly number[] = Array.from({ length: 10 }, (_, i) => 12345 + i);
