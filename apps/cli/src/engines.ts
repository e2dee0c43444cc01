import { createLinearEngine, type TrainingEngine } from '@redef/training';

/** Training engines by the name that `--engine` takes. */
export const engines = { linear: createLinearEngine } as const satisfies Record<string, () => TrainingEngine>;

export type EngineName = keyof typeof engines;
export const engineNames = Object.keys(engines) as EngineName[];
