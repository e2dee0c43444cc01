import { RedefError, shown } from '@redef/core';
import { apacheJit } from './apachejit.js';
import { bigVul } from './big-vul.js';
import { cveFixes } from './cvefixes.js';
import type { Preset } from './preset.js';
import { primeVul } from './primevul.js';
import { redef } from './redef.js';
import { vulRepair } from './vulrepair.js';

/** The published layouts that this package knows, by the names that options take. */
export const presets = {
  redef,
  vulrepair: vulRepair,
  'big-vul': bigVul,
  cvefixes: cveFixes,
  primevul: primeVul,
  apachejit: apacheJit,
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

/** @throws `RedefError` `unknown-preset` */
export function findPreset(preset: string | Preset): Preset {
  if (typeof preset === 'string' && Object.hasOwn(presets, preset)) return presets[preset as PresetName];
  if (typeof preset === 'object' && typeof preset?.columns === 'object' && preset.columns !== null) return preset;
  throw new RedefError(`no preset called ${shown(preset)}`, {
    code: 'unknown-preset',
    remedy: `Choose one of ${Object.keys(presets).join(', ')}.`,
  });
}
