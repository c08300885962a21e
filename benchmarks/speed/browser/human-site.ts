import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { bundleScript, type SitePart } from '@svc/device-sdk-web/testing';
import { packageFolder } from '../environment.ts';
import type { HumanPlaces } from '../peers/human-config.ts';
import { wasmFolder } from '../peers/tfjs.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

export const humanAddresses = {
  page: '/human',
  library: '/human/dist/human.esm.js',
  frame: '/human/frame',
} as const;

export const humanPlacesAt = (origin: string): HumanPlaces => ({
  wasmPath: `${origin}/human/wasm/`,
  modelBasePath: `${origin}/human/models/`,
});

/** A page with Human, its models and TensorFlow.js' WebAssembly, all from installed packages. @param rgb the frame */
export async function humanSite(rgb: Uint8Array): Promise<SitePart> {
  const script = await bundleScript(new URL('./human-page.ts', import.meta.url));
  const human = packageFolder('@vladmandic/human');
  const folders: Readonly<Record<string, string>> = {
    dist: join(human, 'dist'),
    models: join(human, 'models'),
    wasm: wasmFolder,
  };
  return async (path) => {
    if (path === humanAddresses.page) {
      const body = '<!doctype html><title>peer</title><script src="/human-page.js"></script>';
      return { headers: { 'content-type': 'text/html' }, body };
    }
    if (path === '/human-page.js') return { headers: { 'content-type': 'text/javascript' }, body: script };
    if (path === humanAddresses.frame) return { headers: { 'content-type': 'application/octet-stream' }, body: rgb };
    const [, first, folder = '', file = ''] = path.split('/');
    const from = folders[folder];
    if (first !== 'human' || from === undefined || !/^[\w.-]+$/.test(file)) return null;
    const headers = { 'content-type': types[extname(file)] ?? 'application/octet-stream' };
    return { headers, body: await readFile(join(from, file)) };
  };
}
