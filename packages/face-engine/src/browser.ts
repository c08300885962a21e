/** Model bundles by URL, for a browser. */
import { FaceError } from '@svc/core';
import { createModelBundle, type ModelBundle, parseManifest } from '@svc/face-models';

/** Fetches bytes. @throws Error if the status is not 2xx */
async function fetchBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
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
