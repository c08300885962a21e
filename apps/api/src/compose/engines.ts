import { ModelError } from '@svc/face-models';
import { addOnNames, openModelBundle } from '@svc/face-models/node';
import type { Logger } from 'pino';
import { type ApiConfig, ConfigurationError, operatorCommand } from '../config/config.ts';
import { type Engines, enginesOf } from '../inference/engines.ts';

/** The engines of a node. */
export interface InstalledEngines {
  readonly engines: Engines;
  /** Folder of the add-ons; null when it is unreadable, and then only the bundled engines are available. */
  readonly addOnDirectory: string | null;
}

/**
 * The engines of the model bundle and of the installed add-ons. A damaged add-on folder does not prevent a start: lists
 * that use an engine from it reject enrolments.
 * @throws ConfigurationError when `SVC_ENGINE` is not installed
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

/** The command that installs an engine; null when no add-on contains it. */
export function installCommandOf(engines: Engines, engineId: string): string | null {
  const model = engines.known.find((engine) => engine.engineId === engineId)?.model;
  const addOn = addOnNames.find((name) => name === model);
  return addOn === undefined ? null : `${operatorCommand()} models add ${addOn}`;
}

/** One line for each engine that lists use and that is not installed here, with the remedy. */
export function missingEngines(engines: Engines, inUse: readonly string[]): readonly string[] {
  return inUse
    .filter((engineId) => !engines.isInstalled(engineId))
    .map((engineId) => {
      const command = installCommandOf(engines, engineId);
      return `${engineId}: ${command ?? 'this edition does not know it; change the model of its lists'}`;
    });
}
