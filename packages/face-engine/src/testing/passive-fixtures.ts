import { type CoreImage, type FaceCore, loadCore } from '@svc/core';
import {
  type ModelBundle,
  type ModelEntry,
  type ModelName,
  minifasnetCalibration,
  type PassiveCalibration,
  type PassiveModelName,
  passiveNetworks,
} from '@svc/face-models';
import type { PassiveLivenessOptions } from '../liveness/passive-liveness.ts';
import type { FaceAnalysis, PassiveLiveness, Quality } from '../types.ts';
import { FakeModel, FakeRuntime } from './fake-runtime.ts';

const sides: Readonly<Partial<Record<ModelName, number>>> = {
  'passive-context': 80,
  'passive-texture': 80,
  'minifasnet-v2': 80,
  'minifasnet-v1se': 80,
};

/** Side of a network's input. */
const sideOf = (name: ModelName): number => sides[name] ?? 1;

const entryOf = (name: ModelName): ModelEntry => ({
  name,
  file: `${name}.tflite`,
  sha256: '',
  bytes: 1,
  inputs: [{ name: 'crop', shape: [1, sideOf(name), sideOf(name), 3], type: 'float32', range: [-1, 1] }],
  outputs: [{ name: 'output', shape: [1, 1], type: 'float32' }],
  licence: 'Apache-2.0',
  origin: 'test',
  golden: { inputSeed: 1, faceHeight: 0.5, tolerance: 1, outputs: [] },
});

/** MiniFASNet's calibration, under another model's name. */
export const calibrationOf = (
  model: PassiveModelName,
  over: Partial<Omit<PassiveCalibration, 'model'>> & { readonly weight?: number } = {},
): PassiveCalibration => {
  const reading = { ...minifasnetCalibration, id: `${model}/test`, ...over };
  return model === 'presence-minifasnet' ? { ...reading, model, weight: over.weight ?? 0.5 } : { ...reading, model };
};

/** A bundle of only these networks. */
export function bundleOf(
  names: readonly ModelName[],
  about: Pick<ModelBundle['manifest'], 'passiveLiveness' | 'passiveDefaults'> = {},
): ModelBundle {
  const models = Object.fromEntries(names.map((name) => [name, entryOf(name)]));
  return {
    manifest: {
      format: 1,
      models,
      ...about,
    },
    has: (name) => name in models,
    read: async () => Uint8Array.of(1),
  };
}

/** Outputs of a model's networks for every frame, in the order in which they are opened. */
export const saying = (name: PassiveModelName, ...outputs: readonly (readonly number[])[]): readonly FakeModel[] =>
  passiveNetworks[name].map(
    (network, i) =>
      new FakeModel({ inputLength: sideOf(network) ** 2 * 3, run: () => [Float32Array.from(outputs[i] ?? [])] }),
  );

/** The options of a model with these networks. */
export async function optionsFor(
  name: PassiveModelName,
  networks: readonly FakeModel[],
  calibration = calibrationOf(name),
): Promise<PassiveLivenessOptions> {
  const bundle = bundleOf(passiveNetworks[name], { passiveLiveness: [calibration], passiveDefaults: [name] });
  return { core: await loadCore(), runtime: new FakeRuntime(networks), bundle };
}

/** A face whose measures all permit scoring. @param width of the mesh's bounds, in a frame of 640 × 480 */
export const scorableFace = (quality: Partial<Quality> = {}, width = 120): FaceAnalysis => ({
  box: { x: 260, y: 160, width, height: (width * 4) / 3 },
  faceFlag: 1,
  landmarks: new Float32Array(1404),
  pose: { yawDeg: 0, pitchDeg: 0, rollDeg: 0 },
  quality: {
    faceWidthPx: 120,
    interEyePx: 50,
    brightness: 0.5,
    contrast: 0.1,
    overexposed: 0,
    sharpness: 0.5,
    coverage: 1,
    ...quality,
  },
  parallax: 0,
  reliefChip: new Uint8Array(0),
});

/** Scores a face in a uniformly grey frame, 0 to 255. */
export async function scoreOf(
  core: FaceCore,
  liveness: PassiveLiveness,
  face: FaceAnalysis = scorableFace(),
  grey = 0,
): Promise<number | null> {
  const data = new Uint8Array(640 * 480 * 3).fill(grey);
  const image: CoreImage = core.image({ data, width: 640, height: 480, channels: 3 });
  try {
    return await liveness.score(image, face);
  } finally {
    image.dispose();
  }
}
