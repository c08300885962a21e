import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceError, loadCore } from '@svc/core';
import type { ModelBundle } from '@svc/face-models';
import { temporaryDirectory } from '@svc/face-models/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyFrame, frameWithHeads, oneHead } from './drawn-head.ts';
import { createFaceEngine } from './engine.ts';
import { wipeAnalysis } from './enrolment.ts';
import { createNodeFaceEngine } from './node.ts';
import { createCoreRuntime } from './runtime/core-runtime.ts';
import type { EngineImage, FaceAnalysis } from './types.ts';

const node = await createNodeFaceEngine({ addOnDirectory: null });
const { engine } = node;

afterAll(() => {
  engine.dispose();
  node.runtime.dispose();
});

async function analysed(image: EngineImage): Promise<FaceAnalysis> {
  const [detection] = await engine.detect(image);
  const face = detection && (await engine.analyse(image, detection));
  if (!face) throw new Error('the drawn head was not found');
  return face;
}

it('refuses to serve with changed weights that the manifest allows', async () => {
  const core = await loadCore();
  const runtime = createCoreRuntime(core);
  const bundle: ModelBundle = {
    ...node.bundle,
    read: async (model) => {
      const bytes = Uint8Array.from(await node.bundle.read(model));
      return model === 'face-embedding' ? bytes.fill(0x3c, bytes.length >> 4, (bytes.length >> 4) + 64) : bytes;
    },
  };
  await expect(createFaceEngine({ core, runtime, bundle })).rejects.toMatchObject({ code: 'golden-mismatch' });
  runtime.dispose();
});

describe('FaceEngine', () => {
  it('finds, measures and embeds a face, and makes the same bits of the same pixels', async () => {
    const image = engine.open(oneHead());
    const face = await analysed(image);
    expect(face.faceFlag).toBeGreaterThan(0.99);
    expect(Math.abs(face.pose.yawDeg)).toBeLessThan(5);
    expect(face.box.x).toBeGreaterThan(100);
    expect(face.box.x + face.box.width).toBeLessThan(380);
    const template = await engine.embed(image, face);
    expect(template).toHaveLength(engine.dimension);
    expect(Math.hypot(...template)).toBeCloseTo(1, 5);
    const again = engine.open(oneHead());
    expect(await engine.embed(again, await analysed(again))).toEqual(template);
    image.dispose();
    again.dispose();
  });

  it('makes the same template of RGB and RGBA, near the same one of the chip alone', async () => {
    const rgb = oneHead();
    const rgba = new Uint8ClampedArray(rgb.width * rgb.height * 4);
    for (let i = 0; i < rgb.width * rgb.height; i++) rgba.set([...rgb.data.subarray(3 * i, 3 * i + 3), 17], 4 * i);
    const image = engine.open(rgb);
    const face = await analysed(image);
    const template = await engine.embed(image, face);
    const other = engine.open({ ...rgb, data: rgba, channels: 4 });
    expect(await engine.embed(other, await analysed(other))).toEqual(template);
    const chipOnly = await engine.embed(image, face, { mirror: false });
    const cosine = engine.core.cosine(chipOnly, template);
    expect(cosine).toBeGreaterThan(0.98);
    expect(cosine).toBeLessThan(1);
    image.dispose();
    other.dispose();
  });

  it('tracks a face that moves, without the detector, and loses it with the face', async () => {
    const first = engine.open(frameWithHeads(640, 480, [{ left: 100, top: 40, side: 400 }]));
    const face = await analysed(first);
    const moved = engine.open(frameWithHeads(640, 480, [{ left: 120, top: 50, side: 400 }]));
    const next = await engine.track(moved, face);
    expect(next?.box.x).toBeCloseTo(face.box.x + 20, -1);
    const empty = engine.open(emptyFrame());
    expect(await engine.track(empty, face)).toBeNull();
    for (const image of [first, moved, empty]) image.dispose();
  });

  it('serves callers at the same time as it serves them one by one', async () => {
    const frames = [3, 5].map((seed) => frameWithHeads(480, 480, [{ seed, left: 0, top: 0, side: 480 }]));
    const alone = [];
    for (const frame of frames) alone.push(await engine.enrol(frame));
    const together = await Promise.all([...frames, ...frames].map((frame) => engine.enrol(frame)));
    expect(together).toEqual([...alone, ...alone]);
    expect(alone.every(({ ok }) => ok)).toBe(true);
    expect(alone[0]).not.toEqual(alone[1]);
  });

  it('enrols one head, none of two, none of nothing', async () => {
    expect(await engine.enrol(oneHead())).toMatchObject({ ok: true });
    const two = frameWithHeads(800, 400, [
      { left: 0, top: 0, side: 400 },
      { seed: 5, left: 400, top: 0, side: 400 },
    ]);
    expect(await engine.enrol(two)).toMatchObject({ ok: false, reason: 'several-faces', measured: 2 });
    expect(await engine.enrol(emptyFrame())).toEqual({ ok: false, reason: 'no-face' });
    expect(await engine.enrol(frameWithHeads(1, 1, []))).toEqual({ ok: false, reason: 'no-face' });
  });

  it('refuses images whose bytes do not fit, and images that it did not open', async () => {
    const broken = { data: new Uint8Array(5), width: 2, height: 2, channels: 3 } as const;
    expect(() => engine.open(broken)).toThrowError(expect.objectContaining({ code: 'image-invalid' }));
    await expect(engine.enrol(broken)).rejects.toMatchObject({ code: 'image-invalid' });
    const stranger = { width: 2, height: 2, dispose: () => {} };
    await expect(async () => engine.detect(stranger)).rejects.toMatchObject({ code: 'invalid-argument' });
    const closed = engine.open(oneHead());
    closed.dispose();
    await expect(engine.detect(closed)).rejects.toSatisfy((error) => FaceError.is(error));
  });

  it('wipes an analysis on demand, and makes nothing of a wiped one', async () => {
    const image = engine.open(oneHead());
    const face = await analysed(image);
    wipeAnalysis(face);
    expect(face.landmarks.every((value) => value === 0)).toBe(true);
    await expect(engine.embed(image, face)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await engine.track(image, face)).toBeNull();
    image.dispose();
  });
});

it('answers with its own error for an add-on folder whose manifest is damaged', async () => {
  const addOnDirectory = await temporaryDirectory();
  await writeFile(join(addOnDirectory, 'manifest.json'), '{"format":');
  const failing = createNodeFaceEngine({ addOnDirectory });
  await expect(failing).rejects.toMatchObject({ name: 'FaceError', code: 'model-mismatch' });
});

it('requires the passive check that is named, and has none without its add-on', async () => {
  const failing = createNodeFaceEngine({ addOnDirectory: null, passiveModel: 'minifasnet' });
  await expect(failing).rejects.toMatchObject({ code: 'model-missing' });
  const made = await createNodeFaceEngine({ addOnDirectory: null });
  expect(made.passiveLiveness).toBeNull();
  made.engine.dispose();
  made.runtime.dispose();
});
