import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { locate } from '../runtime/node-assets.ts';

/** The builds that pages load. Neither needs relaxed SIMD, which not every browser has. */
const builds = {
  'tfjs-tflite': '@tensorflow/tfjs-tflite/wasm/tflite_web_api_cc_simd',
  litert: '@litertjs/core/wasm/litert_wasm_compat_internal',
} as const;

export interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A runtime's two files, for `createTfjsTfliteBrowserRuntime` or `createLiteRtBrowserRuntime`. */
export interface BrowserRuntimeFiles {
  readonly glue: NamedFile;
  readonly wasm: NamedFile;
}

/** Reads a runtime's files out of this package's dependencies, for a build that puts them beside a page. */
export async function readBrowserRuntime(kind: keyof typeof builds): Promise<BrowserRuntimeFiles> {
  const read = async (extension: '.js' | '.wasm'): Promise<NamedFile> => {
    const { path } = locate(builds[kind] + extension);
    return { name: basename(path), bytes: await readFile(path) };
  };
  return { glue: await read('.js'), wasm: await read('.wasm') };
}
