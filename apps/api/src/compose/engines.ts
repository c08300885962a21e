import { ModelError } from '@svc/face-models';
import { addOnNames, openModelBundle } from '@svc/face-models/node';
import type { Logger } from 'pino';
import { type ApiConfig, ConfigurationError } from '../config/config.ts';
import { type Engines, enginesOf } from '../inference/engines.ts';

/** What a node makes templates with. */
export interface InstalledEngines {
  readonly engines: Engines;
  /** Folder of the add-ons; null where it cannot be read, and the engines are those that are always there. */
  readonly addOnDirectory: string | null;
}

/**
 * The engines of the model bundle and of the add-ons that are installed. A folder of add-ons that is damaged keeps no
 * node from starting: lists whose engine lies in it take no enrolments.
 * @throws ConfigurationError where `SVC_ENGINE` is not installed
 */
export async function openEngines(
  { engineId, modelsDirectory }: Pick<ApiConfig, 'engineId' | 'modelsDirectory'>,
  logger: Pick<Logger, 'error'>,
): Promise<InstalledEngines> {
  const open = async (addOnDirectory: string | null): Promise<InstalledEngines> => {
    const { manifest } = await openModelBundle({ addOnDirectory });
    const all = enginesOf(manifest);
    if (engineId !== undefined && !all.isInstalled(engineId)) {
      throw new ConfigurationError(`SVC_ENGINE is not installed: ${installCommandOf(all, engineId) ?? 'unknown'}`);
    }
    return { engines: enginesOf(manifest, engineId), addOnDirectory };
  };
  try {
    return await open(modelsDirectory);
  } catch (error) {
    if (!(error instanceof ModelError && error.code === 'model-mismatch')) throw error;
    logger.error({ reason: error.message }, 'the installed add-on models cannot be read: svc doctor tells more');
    return open(null);
  }
}

/** How an operator installs an engine; null where no add-on has it. */
export function installCommandOf(engines: Engines, engineId: string): string | null {
  const model = engines.known.find((engine) => engine.engineId === engineId)?.model;
  const addOn = addOnNames.find((name) => name === model);
  return addOn === undefined ? null : `npm run svc -- models add ${addOn}`;
}

/** One line for each engine that lists are enrolled by and that is not installed here: what it is, and what to do. */
export function missingEngines(engines: Engines, inUse: readonly string[]): readonly string[] {
  return inUse
    .filter((engineId) => !engines.isInstalled(engineId))
    .map((engineId) => {
      const command = installCommandOf(engines, engineId);
      return `${engineId}: ${command ?? 'this edition does not know it; change the model of its lists'}`;
    });
}
