import { createHash } from 'node:crypto';
import { type EngineRecipe, engineOf, enginesIn, type ModelManifest, passiveNetworks } from '@svc/face-models';
import { formatId, uuidv7 } from '@svc/protocol';
import { ServiceError } from '../platform/errors.ts';
import { PHOTO_CHECK } from './port.ts';

/** What the service needs to know of an engine. Templates of different engines are never compared. */
export interface EngineIdentity extends Pick<EngineRecipe, 'engineId' | 'dimension' | 'matchThreshold'> {
  /** What the interface calls the engine. */
  readonly modelId: string;
  /** The network that it needs, where it is known. */
  readonly model?: EngineRecipe['model'];
}

/** The engines that this edition knows, and those that make templates on this node. */
export interface Engines {
  /** The engine of new lists. */
  readonly standard: EngineIdentity;
  /** Installed or not, the preferred one first. */
  readonly known: readonly EngineIdentity[];
  /** True where a passive check is installed that a photo can be given to. */
  readonly checksPhotos: boolean;
  isInstalled(engineId: string): boolean;
  /** Null for a model that this edition does not know. */
  ofModel(modelId: string): EngineIdentity | null;
  /** The same on every node, also for an engine that this edition does not know. */
  modelIdOf(engineId: string): string;
  /** @throws ServiceError 'model-missing' where this node cannot make the engine's templates */
  require(engineId: string): EngineIdentity;
}

/** An engine of an older or a newer edition: its id names no moment, so its time is 0. */
function derivedModelId(engineId: string): string {
  return formatId('mdl', uuidv7(0, createHash('sha256').update(engineId).digest().subarray(0, 10)));
}

export function createEngines(o: {
  readonly known: readonly EngineIdentity[];
  readonly installed: readonly string[];
  readonly standard: EngineIdentity;
  readonly checksPhotos: boolean;
}): Engines {
  const find = (engineId: string) => o.known.find((engine) => engine.engineId === engineId);
  const isInstalled = (engineId: string) => find(engineId) !== undefined && o.installed.includes(engineId);
  return {
    standard: o.standard,
    known: o.known,
    checksPhotos: o.checksPhotos,
    isInstalled,
    ofModel: (modelId) => o.known.find((engine) => engine.modelId === modelId) ?? null,
    modelIdOf: (engineId) => find(engineId)?.modelId ?? derivedModelId(engineId),
    require(engineId) {
      const engine = find(engineId);
      if (engine === undefined || !isInstalled(engineId)) throw new ServiceError('model-missing');
      return engine;
    },
  };
}

/**
 * The engines of a model bundle.
 * @param standardId the bundle's preferred one when left out
 * @throws ModelError 'model-missing' where the standard engine's network is not installed
 */
export function enginesOf(manifest: ModelManifest, standardId?: string): Engines {
  const calibration = manifest.passiveLiveness?.find(({ model }) => model === PHOTO_CHECK);
  const photosAreMeasured = calibration !== undefined && calibration.photoAtLeast !== null;
  return createEngines({
    known: manifest.engines ?? [],
    installed: enginesIn(manifest).map(({ engineId }) => engineId),
    standard: engineOf(manifest, standardId),
    checksPhotos:
      passiveNetworks[PHOTO_CHECK].every((name) => manifest.models[name] !== undefined) && photosAreMeasured,
  });
}
