import { FaceError } from '@svc/core';
import type { FaceEngine, PassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { CliError, exitCodes } from './cli-error.ts';

export interface LoadedEngine {
  readonly engine: FaceEngine;
  /** Null when its add-on is not installed. */
  readonly passiveLiveness: PassiveLiveness | null;
}

/** Runs work with an engine, the bundle's default or the one named, and frees it whatever happens. @throws CliError when a model is missing or broken */
export async function withEngine<Result>(
  work: (loaded: LoadedEngine) => Promise<Result>,
  engineId?: string,
): Promise<Result> {
  const chosen = engineId === undefined ? {} : { engineId };
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
