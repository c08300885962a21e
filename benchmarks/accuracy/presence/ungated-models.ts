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

/**
 * Something done with an engine and every passive model, MiniFASNet's where it is at hand. All are gone after it,
 * however it ends.
 */
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

/** A passive model that also says what it makes of faces which the device would not have it score. */
export interface UngatedModel {
  readonly name: PassiveModelName;
  /** As it serves, limits included. */
  readonly calibration: PassiveCalibration;
  /** 0..1; null only where the face's sharpness can't be measured at all. */
  score(image: EngineImage, face: FaceAnalysis): Promise<number | null>;
  dispose(): void;
}

const noLimits: ScorableLimits = { contextScale: 0, interEyePx: 0, brightness: 0, overexposed: 1, sharpness: 0 };

function withoutLimits(bundle: ModelBundle): ModelBundle {
  const { manifest } = bundle;
  const passiveLiveness = (manifest.passiveLiveness ?? []).map((one) => ({ ...one, scorable: noLimits }));
  return { ...bundle, manifest: { ...manifest, passiveLiveness } };
}

/** Every passive model that the bundle holds, in the order of their names' list. */
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

/** Which of its limits a face does not keep to, in words; none where the device would have it scored. */
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

/** The model as the device has it, its limits kept, which tells every score that it comes to, the others too. */
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
