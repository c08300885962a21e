import { FaceError } from '@svc/core';
import type { FaceEngine, PassiveLiveness, PassiveModelName } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { CliError, exitCodes } from './cli-error.ts';

export interface LoadedEngine {
  readonly engine: FaceEngine;
  /** Null if none was requested, or the default is none. */
  readonly passiveLiveness: PassiveLiveness | null;
}

/** Unspecified parts are the bundle's defaults. */
export interface EngineChoice {
  readonly engineId?: string | undefined;
  /** Null for work without liveness checks. */
  readonly passiveModel?: PassiveModelName | null | undefined;
}

/** Runs an action with an engine and always disposes it. @throws CliError if a model is missing or broken */
export async function withEngine<Result>(
  work: (loaded: LoadedEngine) => Promise<Result>,
  { engineId, passiveModel }: EngineChoice = {},
): Promise<Result> {
  const chosen = {
    ...(engineId === undefined ? {} : { engineId }),
    ...(passiveModel === undefined ? {} : { passiveModel }),
  };
  const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(chosen).catch((cause: unknown) => {
    if (!FaceError.is(cause)) throw cause;
    throw new CliError(`the face engine cannot start: ${cause.message} (${cause.code})`, exitCodes.environment, {
      cause,
    });
  });
  try {
    return await work({ engine, passiveLiveness });
  } finally {
    passiveLiveness?.dispose();
    engine.dispose();
    runtime.dispose();
  }
}
