import { openRecord, sealRecord } from '@svc/core/pack';
import { countKernelCalls } from '@svc/core/testing';
import { createNodeAead } from '@svc/core/testing/peers';
import sharp from 'sharp';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { SealTask } from './port.ts';

const recipe = { engineId: 'fake/1', dimension: 4, matchThreshold: 0.5, former: [] };
const template = () => Float32Array.of(0.5, -0.5, 0.5, -0.5);
const binding = { listId: 'lst_1', epoch: 1, engineId: recipe.engineId, personId: 'p', isTest: false };
const listKey = () => new Uint8Array(32).fill(7);

afterEach(() => {
  vi.doUnmock('piscina');
  vi.doUnmock('@svc/face-engine/node');
  vi.resetModules();
});

async function task(): Promise<SealTask> {
  const jpeg = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#777' } })
    .jpeg()
    .toBuffer();
  return { ...binding, photo: new Uint8Array(jpeg), listKey: listKey(), deleteAfterMs: 1_000, checkPhoto: false };
}

/** The module of an inference thread with the real core, and an engine that finds the same face in every photo. */
async function loadWorker() {
  vi.resetModules();
  vi.doMock('piscina', () => ({ workerData: { module: '', addOnDirectory: null } }));
  vi.doMock('@svc/face-engine/node', async () => {
    const { loadCore } = await import('@svc/core');
    const analysis = { landmarks: new Float32Array(3), reliefChip: new Uint8Array(1) };
    const enrol = async () => ({ ok: true, reference: template(), analysis });
    const engine = { core: await loadCore(), recipes: [recipe], enrol };
    return { createNodeFaceEngine: async () => ({ engine, runtime: {}, bundle: {} }) };
  });
  return import('./worker.ts');
}

it('seals by the core’s AEAD what any other adapter opens', async () => {
  const { calls, stop } = countKernelCalls();
  onTestFinished(() => stop());
  const worker = await loadWorker();
  await worker.warmUp();
  expect(calls).toEqual({ gcmSeal: 0, gcmOpen: 0 });
  const sealed = await worker.seal(await task());
  if (!sealed.ok) throw new Error(sealed.reason);
  expect(calls).toEqual({ gcmSeal: 1, gcmOpen: 0 });
  // Cross-check: another adapter opens the record, uncounted.
  const opening = { ...binding, dimension: recipe.dimension, listKey: listKey() };
  expect(await openRecord(createNodeAead(), { ...opening, record: sealed.record })).toEqual(template());
  const record = await sealRecord(createNodeAead(), { ...opening, template: template(), deleteAfterMs: 1_000 });
  expect(await openRecord(createNodeAead(), { ...opening, record })).toEqual(template());
  expect(calls).toEqual({ gcmSeal: 1, gcmOpen: 0 });
});
