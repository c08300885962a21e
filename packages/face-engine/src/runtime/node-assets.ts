import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { compileFunction } from 'node:vm';
import { type CoreKind, loadCore } from '@svc/core';
import { createLiteRtRuntime } from './litert.ts';
import { type EmscriptenFactory, type RuntimeAssets, runtimeFailed, type TfliteRuntime } from './port.ts';
import { hasRelaxedSimd } from './relaxed-simd.ts';
import { createTfjsTfliteRuntime } from './tfjs-tflite.ts';

/** The module of tfjs-tflite for each build of the core. */
export const tfjsTfliteBuilds = {
  simd: '@tensorflow/tfjs-tflite/wasm/tflite_web_api_cc_simd',
  scalar: '@tensorflow/tfjs-tflite/wasm/tflite_web_api_cc',
} as const satisfies Record<CoreKind, string>;

/**
 * Creates the default runtime from this package's dependencies. @param kind default: that of the core here.
 * @throws FaceError `runtime-failed`
 */
export async function createTfjsTfliteNodeRuntime(kind?: CoreKind): Promise<TfliteRuntime> {
  return createTfjsTfliteRuntime(await assetsOf(tfjsTfliteBuilds[kind ?? (await loadCore()).kind]));
}

/** Creates the second runtime from this package's dependencies. @throws FaceError `runtime-failed` */
export async function createLiteRtNodeRuntime(): Promise<TfliteRuntime> {
  const build = hasRelaxedSimd() ? 'litert_wasm_internal' : 'litert_wasm_compat_internal';
  return createLiteRtRuntime(await assetsOf(`@litertjs/core/wasm/${build}`));
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
export function locate(specifier: string): { path: string; require: NodeJS.Require } {
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
