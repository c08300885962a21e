import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { type FaceCore, loadCore } from '@svc/core';
import { type Aead, createWasmAead } from '@svc/core/aead';
import { createNobleAead } from '@svc/core/aead-noble';
import * as network from '@svc/core/network';
import { parsePack } from '@svc/core/pack';

export async function use(): Promise<void> {
  const core: FaceCore = await loadCore();
  equal(core.cosine(Float32Array.of(1, 0), Float32Array.of(2, 0)), 1);
  const sealer: Aead = createNobleAead();
  const [key, nonce, aad] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array()];
  const sealed = await sealer.seal(key, nonce, Uint8Array.of(1, 2, 3), aad);
  deepStrictEqual(await createWasmAead(core).open(key, nonce, sealed, aad), Uint8Array.of(1, 2, 3));
  ok(typeof parsePack === 'function' && Object.keys(network).length > 0);
}
