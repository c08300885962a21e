import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type FaceCore, loadCore } from '@svc/core';
import type { ModelBundle, PassiveModelName } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { createFaceEngine } from './engine.ts';
import { openPassiveLiveness } from './liveness/open-passive-liveness.ts';
import { createCombinedRuntime } from './runtime/combined.ts';
import {
  createLiteRtNodeRuntime,
  createTfjsTfliteNodeRuntime,
  locate,
  tfjsTfliteBuilds,
} from './runtime/node-assets.ts';
import type { TfliteRuntime } from './runtime/port.ts';
import { bundleFailure } from './session.ts';
import type { FaceEngine, PassiveLiveness } from './types.ts';

/** The builds that pages load. None needs relaxed SIMD, which some browsers lack, and the scalar one no SIMD. */
const builds = {
  'tfjs-tflite': tfjsTfliteBuilds.simd,
  'tfjs-tflite-scalar': tfjsTfliteBuilds.scalar,
  litert: '@litertjs/core/wasm/litert_wasm_compat_internal',
} as const;

interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The two files of a runtime, for `createTfjsTfliteBrowserRuntime` or `createLiteRtBrowserRuntime`. */
export interface BrowserRuntimeFiles {
  readonly glue: NamedFile;
  readonly wasm: NamedFile;
}

/** Reads a runtime's files from this package's dependencies, for a build that serves them with a page. */
export async function readBrowserRuntime(kind: keyof typeof builds): Promise<BrowserRuntimeFiles> {
  const read = async (extension: '.js' | '.wasm'): Promise<NamedFile> => {
    const { path } = locate(builds[kind] + extension);
    return { name: basename(path), bytes: await readFile(path) };
  };
  return { glue: await read('.js'), wasm: await read('.wasm') };
}

export { createLiteRtNodeRuntime, createTfjsTfliteNodeRuntime };

/** Options of {@link createNodeFaceEngine}. */
export interface NodeFaceEngineOptions {
  /** One of the bundle's engines. Default: the preferred one. */
  readonly engineId?: string;
  /** Folder of the add-on models; null for none. Default: the operator's default folder. */
  readonly addOnDirectory?: string | null;
  /** The passive check; null for none. Default: the bundle's default, if any. */
  readonly passiveModel?: PassiveModelName | null;
  /**
   * Default `core+tfjs-tflite`: the core's kernels for models that they support entirely, tfjs-tflite for the others.
   */
  readonly runtime?: 'core+tfjs-tflite' | 'tfjs-tflite' | 'litert';
}

/** An engine with its passive check and runtime. Owned by the caller, who disposes them. */
export interface NodeFaceEngine {
  readonly engine: FaceEngine;
  /** Null if not requested, or the bundle has no default. */
  readonly passiveLiveness: PassiveLiveness | null;
  /** Dispose it after the engine and the passive check. */
  readonly runtime: TfliteRuntime;
  readonly bundle: ModelBundle;
}

/**
 * Creates an engine and a passive check on one single-threaded runtime. Create one per worker thread.
 * @throws FaceError `configuration-invalid` for an unknown passive model, `model-missing` if the bundle was not built
 *   or lacks the named model, `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function createNodeFaceEngine(options: NodeFaceEngineOptions = {}): Promise<NodeFaceEngine> {
  const { engineId, addOnDirectory, passiveModel, runtime: kind = 'core+tfjs-tflite' } = options;
  const core = await loadCore();
  const bundle = await openModelBundle(addOnDirectory === undefined ? {} : { addOnDirectory }).catch(
    (cause: unknown) => {
      throw bundleFailure('the model bundle', cause);
    },
  );
  const runtime = await createRuntime(kind, core);
  try {
    // First, since a missing named model is detected quickly.
    const passiveLiveness = await openPassiveLiveness({ core, runtime, bundle }, passiveModel);
    const engine = await createFaceEngine({ core, runtime, bundle, ...(engineId === undefined ? {} : { engineId }) });
    return { engine, passiveLiveness, runtime, bundle };
  } catch (cause) {
    runtime.dispose();
    throw cause;
  }
}

async function createRuntime(
  kind: NonNullable<NodeFaceEngineOptions['runtime']>,
  core: FaceCore,
): Promise<TfliteRuntime> {
  switch (kind) {
    case 'litert':
      return createLiteRtNodeRuntime();
    case 'tfjs-tflite':
      return createTfjsTfliteNodeRuntime(core.kind);
    case 'core+tfjs-tflite':
      return createCombinedRuntime({ core, fallback: await createTfjsTfliteNodeRuntime(core.kind) });
  }
}
