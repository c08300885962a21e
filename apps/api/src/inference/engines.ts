import { createHash } from 'node:crypto';
import {
  baseModelNames,
  type EngineRecipe,
  engineOf,
  enginesIn,
  type ModelManifest,
  passiveModelIn,
  versionsOf,
} from '@svc/face-models';
import { formatId, type ModelWarning, type ServingModels, uuidv7 } from '@svc/protocol';
import { ServiceError } from '../platform/errors.ts';
import { PHOTO_CHECK } from './port.ts';

/** The properties of an engine that the service needs. Templates of different engines are never compared. */
export interface EngineIdentity extends Pick<EngineRecipe, 'engineId' | 'dimension' | 'matchThreshold'> {
  /** The engine's id in the API. */
  readonly modelId: string;
  /** The network that it needs, if known. */
  readonly model?: EngineRecipe['model'];
}

/**
 * The engines that this version knows, and those installed on this node. A former version of an engine is one of its own
 * here: it has its lists, whose templates the engine's network makes.
 */
export interface Engines {
  /** Engine of new lists. */
  readonly standard: EngineIdentity;
  /** Installed or not, in order of preference. */
  readonly known: readonly EngineIdentity[];
  /** True when a passive check for photos is installed. */
  readonly checksPhotos: boolean;
  /** What the installed models are, and in what they are weaker than the recommended ones. */
  readonly models: ServingModels;
  isInstalled(engineId: string): boolean;
  /** Null for a model unknown to this version. */
  ofModel(modelId: string): EngineIdentity | null;
  /** The same on every node, even for an engine unknown to this version. */
  modelIdOf(engineId: string): string;
  /** @throws ServiceError 'model-missing' when the engine is not installed on this node */
  require(engineId: string): EngineIdentity;
}

/** The installed passive check. */
export interface PassiveCheck {
  readonly name: string;
  /** Whether it can be a witness at a door that nobody watches: calibrations of 0.2 cannot. */
  readonly hasEvidence: boolean;
}

/** Whether every installation has the engine's network; what add-ons bring is recommended. */
export const isBuiltIn = ({ model }: Pick<EngineIdentity, 'model'>): boolean =>
  baseModelNames.some((name) => name === model);

function warningsOf({ standard, passive }: { standard: EngineIdentity; passive: PassiveCheck | null }): ModelWarning[] {
  const ofEngine: ModelWarning[] = isBuiltIn(standard) ? ['built-in-engine'] : [];
  if (passive === null) return [...ofEngine, 'no-passive-check'];
  return passive.hasEvidence ? ofEngine : [...ofEngine, 'old-passive-check'];
}

/** Id for an engine of another version: derived from the engine's id, with time 0. */
function derivedModelId(engineId: string): string {
  return formatId('mdl', uuidv7(0, createHash('sha256').update(engineId).digest().subarray(0, 10)));
}

export function createEngines(o: {
  readonly known: readonly EngineIdentity[];
  readonly installed: readonly string[];
  readonly standard: EngineIdentity;
  readonly checksPhotos: boolean;
  readonly passive: PassiveCheck | null;
}): Engines {
  const find = (engineId: string) => o.known.find((engine) => engine.engineId === engineId);
  const isInstalled = (engineId: string) => find(engineId) !== undefined && o.installed.includes(engineId);
  return {
    standard: o.standard,
    known: o.known,
    checksPhotos: o.checksPhotos,
    models: { engine: o.standard.engineId, passiveCheck: o.passive?.name ?? null, warnings: warningsOf(o) },
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
 * @param standardId default: the bundle's preferred engine
 * @throws ModelError 'model-missing' when the standard engine's network is not installed
 */
export function enginesOf(manifest: ModelManifest, standardId?: string): Engines {
  const photosAreMeasured = typeof manifest.passiveLiveness?.photoAtLeast === 'number';
  const installed = enginesIn(manifest).flatMap(versionsOf);
  const passive = passiveModelIn(manifest);
  return createEngines({
    known: (manifest.engines ?? []).flatMap(versionsOf),
    installed: installed.map(({ engineId }) => engineId),
    standard: installed.find(({ engineId }) => engineId === standardId) ?? engineOf(manifest, standardId),
    checksPhotos: passive === PHOTO_CHECK && photosAreMeasured,
    passive: passive && { name: passive, hasEvidence: manifest.passiveLiveness?.evidence != null },
  });
}
