import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goldenOf } from '../golden-outputs.ts';
import { compilePresence } from '../networks/presence.ts';
import type { CompiledModel } from '../node/write-model-folder.ts';
import { isPassiveCalibration, type PassiveCalibration } from '../passive-calibration.ts';
import type { PassiveModelName } from '../passive-models.ts';
import { readTorchCheckpoint } from '../sources/torch-checkpoint.ts';
import type { ModelManifest } from '../types.ts';

const weights = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'training', 'weights');

/** Output of the training of «presence»: `presence.pth` and `presence.json`. */
export interface PresenceSource {
  readonly presenceState: Uint8Array;
  readonly presenceSettings: Uint8Array;
}

/** The part of `presence.json` that the build reads. */
interface PresenceSettings {
  /** Whether it is the default passive model. */
  readonly enabled: boolean;
  /** Calibration of its scores. */
  readonly calibration: PassiveCalibration;
  /** Calibration together with MiniFASNet. */
  readonly fused: PassiveCalibration;
  /** Of `presence.pth`, lower-case hexadecimal. */
  readonly sha256: string;
}

/** Reads the committed weights, or those of another folder. */
export const readPresenceSource = (folder = weights): PresenceSource => ({
  presenceState: readFileSync(join(folder, 'presence.pth')),
  presenceSettings: readFileSync(join(folder, 'presence.json')),
});

/** Compiles both branches. Pure: the same source gives the same bytes. @throws Error for an invalid state */
export function compilePresenceModels({ presenceState }: PresenceSource): CompiledModel[] {
  const state = readTorchCheckpoint(presenceState);
  const branch = (name: 'context' | 'texture', crop: string): CompiledModel => ({
    name: `passive-${name}`,
    bytes: compilePresence(state, name, `presence, ${name}`),
    inputRange: [-1, 1],
    licence: 'Apache-2.0',
    origin: `presence, ${crop}, trained by this project (packages/face-models/training)`,
    golden: goldenOf(`passive-${name}`),
  });
  return [branch('context', 'the face with 4 times its surroundings'), branch('texture', 'the face, scale 2.7')];
}

/**
 * The model's entries in the bundle's manifest: calibrations, alone and with the add-on, and the default.
 *
 * @throws Error for damaged settings, or settings of another state
 */
export function presenceInManifest(
  source: PresenceSource,
): Required<Pick<ModelManifest, 'passiveLiveness' | 'passiveDefaults'>> {
  const { enabled, calibration, fused, sha256 } = settingsOf(source);
  if (createHash('sha256').update(source.presenceState).digest('hex') !== sha256) {
    throw new Error('presence.json is not that of presence.pth');
  }
  return {
    passiveLiveness: [calibration, fused],
    passiveDefaults: enabled ? ['presence-minifasnet', 'presence'] : ['minifasnet'],
  };
}

function settingsOf({ presenceSettings }: PresenceSource): PresenceSettings {
  const settings = JSON.parse(new TextDecoder().decode(presenceSettings)) as {
    readonly [K in keyof PresenceSettings]?: unknown;
  };
  const { enabled, calibration, fused, sha256 } = settings;
  const isWhole =
    typeof enabled === 'boolean' &&
    typeof sha256 === 'string' &&
    isCalibrationOf('presence', calibration) &&
    isCalibrationOf('presence-minifasnet', fused);
  if (!isWhole) throw new Error('presence.json does not say whether it is enabled and how its scores are read');
  return { enabled, calibration, fused, sha256 };
}

const isCalibrationOf = (model: PassiveModelName, value: unknown): value is PassiveCalibration =>
  isPassiveCalibration(value) && value.model === model;
