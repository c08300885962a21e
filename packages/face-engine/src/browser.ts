/** Runtimes and model bundle by address, for a dedicated classic worker of a browser. */
import { FaceError } from '@svc/core';
import { createModelBundle, type ModelBundle, parseManifest } from '@svc/face-models';
import { fetchBytes } from './runtime/browser-assets.ts';

export {
  type BrowserRuntimeOptions,
  createLiteRtBrowserRuntime,
  createTfjsTfliteBrowserRuntime,
} from './runtime/browser-assets.ts';
export { hasRelaxedSimd } from './runtime/relaxed-simd.ts';

/**
 * The model folder at an address that ends in `/`: its `manifest.json` and, when read, the files that it names.
 *
 * @throws FaceError `model-missing` when there is no manifest, `model-mismatch` when it is damaged
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
