import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { compileFunction } from 'node:vm';
import { type CoreKind, loadCore } from '@svc/core';
import type { ModelBundle, PassiveModelName } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { createFaceEngine } from './engine.ts';
import { openPassiveLiveness } from './liveness/passive-liveness.ts';
import { createCoreRuntime } from './runtime/core-runtime.ts';
import { type NetworkRuntime, runtimeFailed } from './runtime/port.ts';
import { createTfjsTfliteRuntime, type EmscriptenFactory, type RuntimeAssets } from './runtime/tfjs-tflite.ts';
import { bundleFailure } from './session.ts';
import type { FaceEngine, PassiveLiveness } from './types.ts';

/**
 * Builds of the runtimes. None needs relaxed SIMD, which some browsers lack, and the scalar one no SIMD. `#tflite` is what
 * the package around this file maps it to (`imports`): a dependency, or the copy that a published package carries.
 */
const builds = {
  'tfjs-tflite': '#tflite/tflite_web_api_cc_simd',
  'tfjs-tflite-scalar': '#tflite/tflite_web_api_cc',
} as const;

interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The two files of a runtime, for `createTfjsTfliteBrowserRuntime`. */
export interface BrowserRuntimeFiles {
  readonly glue: NamedFile;
  readonly wasm: NamedFile;
}

/** Reads a runtime's files from this package's dependencies, for a build that serves them with a page. */
export async function readBrowserRuntime(kind: 'tfjs-tflite' | 'tfjs-tflite-scalar'): Promise<BrowserRuntimeFiles> {
  const read = async (extension: '.js' | '.wasm'): Promise<NamedFile> => {
    const { path } = locate(builds[kind] + extension);
    return { name: basename(path), bytes: await readFile(path) };
  };
  return { glue: await read('.js'), wasm: await read('.wasm') };
}

/** Options of {@link createNodeFaceEngine}. */
export interface NodeFaceEngineOptions {
  /** One of the bundle's engines. Default: the preferred one. */
  readonly engineId?: string;
  /** Folder of the add-on models; null for none. Default: the operator's default folder. */
  readonly addOnDirectory?: string | null;
  /** The passive check: null for none, a name to require it. Default: if it is installed. */
  readonly passiveModel?: PassiveModelName | null;
}

/** An engine with its passive check and runtime. Owned by the caller, who disposes them. */
export interface NodeFaceEngine {
  readonly engine: FaceEngine;
  /** Null if not wanted, or not installed. */
  readonly passiveLiveness: PassiveLiveness | null;
  /** Dispose it after the engine and the passive check. */
  readonly runtime: NetworkRuntime;
  readonly bundle: ModelBundle;
}

/**
 * Creates an engine and a passive check on one single-threaded runtime: the core's, and tfjs-tflite's where an add-on's
 * network needs it. Create one per worker thread.
 * @throws FaceError `configuration-invalid` for an unknown passive model, `model-missing` if the bundle was not built
 *   or lacks the named model, `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function createNodeFaceEngine(options: NodeFaceEngineOptions = {}): Promise<NodeFaceEngine> {
  const { engineId, addOnDirectory, passiveModel } = options;
  const core = await loadCore();
  const bundle = await openModelBundle(addOnDirectory === undefined ? {} : { addOnDirectory }).catch(
    (cause: unknown) => {
      throw bundleFailure('the model bundle', cause);
    },
  );
  const runtime = createCoreRuntime(core, () => createTfjsTfliteNodeRuntime(core.kind));
  try {
    // First, since a missing named model is detected quickly.
    const passiveLiveness = await openPassiveLiveness({ runtime, bundle }, passiveModel);
    const engine = await createFaceEngine({ core, runtime, bundle, ...(engineId === undefined ? {} : { engineId }) });
    return { engine, passiveLiveness, runtime, bundle };
  } catch (cause) {
    runtime.dispose();
    throw cause;
  }
}

/**
 * Creates the TFLite runtime from this package's dependencies. @param kind default: that of the core here.
 * @throws FaceError `runtime-failed`
 */
export async function createTfjsTfliteNodeRuntime(kind?: CoreKind): Promise<NetworkRuntime> {
  return createTfjsTfliteRuntime(
    await assetsOf(builds[(kind ?? (await loadCore()).kind) === 'simd' ? 'tfjs-tflite' : 'tfjs-tflite-scalar']),
  );
}

async function assetsOf(specifier: string): Promise<RuntimeAssets> {
  try {
    const { path, require } = locate(`${specifier}.js`);
    const [glue, wasmBinary] = await Promise.all([readFile(path, 'utf8'), readFile(path.replace(/\.js$/, '.wasm'))]);
    return { factory: evaluateGlue(glue, path, require), wasmBinary };
  } catch (cause) {
    throw runtimeFailed('the runtime is not installed', cause);
  }
}

/**
 * Finds a dependency's file from this file or, if this is bundled into another package, through this package's name.
 */
function locate(specifier: string): { path: string; require: NodeJS.Require } {
  const here = createRequire(import.meta.url);
  try {
    return { path: here.resolve(specifier), require: here };
  } catch {
    const home = createRequire(here.resolve('@svc/face-engine/package.json'));
    return { path: home.resolve(specifier), require: home };
  }
}

/**
 * Evaluates an emscripten glue file as a CommonJS module, whatever its package's `type`. Nothing is put on the global
 * object.
 */
function evaluateGlue(source: string, path: string, require: NodeJS.Require): EmscriptenFactory {
  const module: { exports: unknown } = { exports: {} };
  const parameters = ['module', 'exports', 'require', '__filename', '__dirname'];
  compileFunction(source, parameters, { filename: path })(module, module.exports, require, path, dirname(path));
  if (typeof module.exports !== 'function') throw runtimeFailed('the runtime has no module factory');
  return module.exports as EmscriptenFactory;
}
