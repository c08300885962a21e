import {
  type EngineImage,
  type FaceAnalysis,
  type FaceEngine,
  livenessContextScale,
  openPassiveLiveness,
  type PassiveCalibration,
  type PassiveLiveness,
  type PassiveModelName,
  type ScorableLimits,
} from '@svc/face-engine';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import { type ModelBundle, passiveModelsIn } from '@svc/face-models';
import { openEngine, temporaryAddOn } from '../../inputs/engine.ts';

/** Runs an action with an engine and every passive model (MiniFASNet's if installed), and always disposes them. */
export async function withUngatedModels<T>(
  use: (engine: FaceEngine, models: readonly UngatedModel[]) => Promise<T>,
): Promise<T> {
  const addOn = await temporaryAddOn();
  try {
    const node = await openEngine({ addOnDirectory: addOn?.directory ?? null, passiveModel: null });
    try {
      const models = await openUngatedModels(node);
      const used = await use(node.engine, models);
      for (const model of models) model.dispose();
      return used;
    } finally {
      node.close();
    }
  } finally {
    await addOn?.remove();
  }
}

/** A passive model that also scores faces outside of the device's limits. */
export interface UngatedModel {
  readonly name: PassiveModelName;
  /** As shipped, with limits. */
  readonly calibration: PassiveCalibration;
  /** 0..1; null only if the face's sharpness can't be measured. */
  score(image: EngineImage, face: FaceAnalysis): Promise<number | null>;
  dispose(): void;
}

const noLimits: ScorableLimits = { contextScale: 0, interEyePx: 0, brightness: 0, overexposed: 1, sharpness: 0 };

function withoutLimits(bundle: ModelBundle): ModelBundle {
  const { manifest } = bundle;
  const passiveLiveness = (manifest.passiveLiveness ?? []).map((one) => ({ ...one, scorable: noLimits }));
  return { ...bundle, manifest: { ...manifest, passiveLiveness } };
}

/** Every passive model of the bundle, in the order of the list of names. */
export async function openUngatedModels({ engine, runtime, bundle }: NodeFaceEngine): Promise<readonly UngatedModel[]> {
  const models: UngatedModel[] = [];
  for (const name of passiveModelsIn(bundle.manifest)) {
    const calibration = bundle.manifest.passiveLiveness?.find(({ model }) => model === name);
    const passive = await openPassiveLiveness({ core: engine.core, runtime, bundle: withoutLimits(bundle) }, name);
    if (passive === null || calibration === undefined) continue;
    models.push({
      name,
      calibration,
      score: (image, face) => passive.score(image, face),
      dispose: () => passive.dispose(),
    });
  }
  return models;
}

/** The limits that a face violates, in words; empty if the device would score it. */
export function unmetLimits(
  frame: { readonly width: number; readonly height: number },
  { box, quality }: Pick<FaceAnalysis, 'box' | 'quality'>,
  limits: ScorableLimits,
): readonly string[] {
  const contextScale = livenessContextScale(frame, box);
  const { interEyePx, brightness, overexposed, sharpness } = quality;
  return [
    ...(contextScale >= limits.contextScale ? [] : [`room ${contextScale.toFixed(2)} < ${limits.contextScale}`]),
    ...(interEyePx >= limits.interEyePx ? [] : [`eyes ${interEyePx.toFixed(0)} px < ${limits.interEyePx}`]),
    ...(brightness >= limits.brightness ? [] : [`brightness ${brightness.toFixed(2)} < ${limits.brightness}`]),
    ...(overexposed <= limits.overexposed ? [] : [`burnt out ${overexposed.toFixed(2)} > ${limits.overexposed}`]),
    ...(sharpness >= limits.sharpness ? [] : [`sharpness ${sharpness.toFixed(2)} < ${limits.sharpness}`]),
  ];
}

/** The model with the device's limits, which also reports every score that it computes. */
export function overheard(model: UngatedModel, hear: (score: number) => void): PassiveLiveness {
  const { name, calibration } = model;
  return {
    name,
    calibration,
    async score(image, face) {
      const score = await model.score(image, face);
      if (score !== null) hear(score);
      return unmetLimits(image, face, calibration.scorable).length === 0 ? score : null;
    },
    dispose: () => undefined,
  };
}
