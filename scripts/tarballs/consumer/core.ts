import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { type FaceCore, loadCore } from '@svc/core';
import { createWasmAead } from '@svc/core/aead';
import * as network from '@svc/core/network';
import { parsePack } from '@svc/core/pack';

export async function use(): Promise<void> {
  const core: FaceCore = await loadCore();
  equal(core.cosine(Float32Array.of(1, 0), Float32Array.of(2, 0)), 1);
  const aead = createWasmAead(core);
  const [key, nonce, aad] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array()];
  const sealed = await aead.seal(key, nonce, Uint8Array.of(1, 2, 3), aad);
  deepStrictEqual(await aead.open(key, nonce, sealed, aad), Uint8Array.of(1, 2, 3));
  ok(typeof parsePack === 'function' && Object.keys(network).length > 0);
}
