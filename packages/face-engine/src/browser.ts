/** Runtimes and model bundles by URL, for a dedicated classic worker in a browser. */
import { FaceError } from '@svc/core';
import { createModelBundle, type ModelBundle, parseManifest } from '@svc/face-models';
import { type NetworkRuntime, runtimeFailed } from './runtime/port.ts';
import { createTfjsTfliteRuntime, type EmscriptenFactory } from './runtime/tfjs-tflite.ts';

/** Where to load a runtime's two files. */
export interface BrowserRuntimeOptions {
  /** The runtime's glue script: `tflite_web_api_cc_simd.js`, or without WebAssembly SIMD `tflite_web_api_cc.js`. */
  readonly glueUrl: string;
  /** URL or bytes of the matching `.wasm`. */
  readonly wasm: string | Uint8Array;
}

/**
 * Creates the TFLite runtime in a dedicated classic worker. Its glue code compiles functions from text: the worker's
 * own response needs `script-src 'unsafe-eval'`, the page does not.
 * @throws FaceError `runtime-failed` if a file cannot be loaded or the module does not start
 */
export async function createTfjsTfliteBrowserRuntime(options: BrowserRuntimeOptions): Promise<NetworkRuntime> {
  return createTfjsTfliteRuntime(await assetsOf(options, 'tflite_web_api_ModuleFactory'));
}

async function assetsOf({ glueUrl, wasm }: BrowserRuntimeOptions, globalName: string) {
  try {
    const wasmBinary = typeof wasm === 'string' ? await fetchBytes(wasm) : wasm;
    return { factory: importFactory(glueUrl, globalName), wasmBinary };
  } catch (cause) {
    throw runtimeFailed('the runtime’s files could not be loaded', cause);
  }
}

/** Fetches bytes. @throws Error if the status is not 2xx */
async function fetchBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

interface ClassicWorkerScope {
  importScripts(url: string): void;
  [globalName: string]: unknown;
}

/** Runs a glue script and takes its factory out of the global variable that it sets. */
function importFactory(url: string, globalName: string): EmscriptenFactory {
  const scope = globalThis as unknown as ClassicWorkerScope;
  scope.importScripts(url);
  const factory = scope[globalName];
  scope[globalName] = undefined;
  if (typeof factory !== 'function') throw new Error('the script left no module factory');
  return factory as EmscriptenFactory;
}

/**
 * Opens the model folder at a URL that ends in `/`: its `manifest.json` now, the files that it names when they are
 * read.
 * @throws FaceError `model-missing` without a manifest, `model-mismatch` if it is damaged
 */
export async function openModelBundleAt(baseUrl: string): Promise<ModelBundle> {
  const json = await fetchBytes(`${baseUrl}manifest.json`).catch((cause: unknown) => {
    throw new FaceError('model-missing', 'there is no model manifest at this address', { cause, retryable: true });
  });
  try {
    const manifest = parseManifest(new TextDecoder().decode(json));
    return createModelBundle({ manifest, fetch: ({ file }) => fetchBytes(`${baseUrl}${file}`) });
  } catch (cause) {
    throw new FaceError('model-mismatch', 'the model manifest is damaged', { cause });
  }
}
