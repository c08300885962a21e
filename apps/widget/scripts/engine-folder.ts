import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyserModels } from '@svc/face-engine';
import { readBrowserRuntime } from '@svc/face-engine/node';
import { manifestOfModels, modelFiles } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';

/**
 * What the engine's worker loads: a runtime, and the models that find a face and measure its quality. Models that make
 * templates are not included.
 */
export interface EngineFolder {
  /** Relative to the site, ends in a slash; contains a hash of the content. */
  readonly path: string;
  /** Names and sizes, uncompressed, in bytes, of the files that the worker is given. It loads the script by itself. */
  readonly files: readonly (readonly [name: string, bytes: number])[];
  /** @param outDir the site's folder */
  write(outDir: string): Promise<void>;
}

/** The runtime's script. */
const GLUE = 'litert.js';

/** @throws ModelError `model-missing` if the models were not built */
export async function readEngineFolder(): Promise<EngineFolder> {
  const bundle = await openModelBundle({ addOnDirectory: null });
  const { glue, wasm } = await readBrowserRuntime('litert');
  const files = [
    [GLUE, glue.bytes] as const,
    ['litert.wasm', wasm.bytes] as const,
    ...(await modelFiles(bundle, manifestOfModels(bundle.manifest, analyserModels))),
  ];
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(`${name} ${bytes.length}\n`).update(bytes);
  const path = `assets/engine-${hash.digest('hex').slice(0, 16)}/`;
  return {
    path,
    files: files.flatMap(([name, { length }]) => (name === GLUE ? [] : [[name, length] as const])),
    async write(outDir) {
      await mkdir(join(outDir, path), { recursive: true });
      for (const [name, bytes] of files) await writeFile(join(outDir, path, name), bytes);
    },
  };
}
