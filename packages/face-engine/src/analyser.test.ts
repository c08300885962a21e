import { loadCore } from '@svc/core';
import { type ModelBundle, type ModelName, manifestOfModels } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyserModels, createFaceAnalyser } from './analyser.ts';
import { emptyFrame, frameWithHeads, oneHead } from './drawn-head.ts';
import { facesIn, wipeAnalysis } from './enrolment.ts';
import { createNodeFaceEngine, type NodeFaceEngine } from './node.ts';
import { createCoreRuntime } from './runtime/core-runtime.ts';
import type { NetworkRuntime } from './runtime/port.ts';
import type { FaceAnalyser, FaceAnalysis } from './types.ts';

const read: ModelName[] = [];
let runtime: NetworkRuntime;
let analyser: FaceAnalyser;
let node: NodeFaceEngine;

/** The bundle as a page gets it, without other models. */
async function smallBundle(): Promise<ModelBundle> {
  const whole = await openModelBundle({ addOnDirectory: null });
  return {
    manifest: manifestOfModels(whole.manifest, analyserModels),
    has: (name) => analyserModels.some((model) => model === name),
    async read(name) {
      read.push(name);
      return whole.read(name);
    },
  };
}

beforeAll(async () => {
  const core = await loadCore();
  runtime = createCoreRuntime(core);
  analyser = await createFaceAnalyser({ core, runtime, bundle: await smallBundle() });
  node = await createNodeFaceEngine({ addOnDirectory: null });
});

afterAll(() => {
  analyser.dispose();
  runtime.dispose();
  node.engine.dispose();
  node.runtime.dispose();
});

async function facesOf(eyes: FaceAnalyser, frame: Parameters<FaceAnalyser['open']>[0]): Promise<FaceAnalysis[]> {
  const image = eyes.open(frame);
  const faces = await facesIn(eyes, image);
  image.dispose();
  return faces;
}

describe('createFaceAnalyser', () => {
  it('reads detector and mesh, and nothing that could make a template', () => {
    expect(read.sort()).toEqual([...analyserModels].sort());
    expect(analyser).not.toHaveProperty('embed');
  });
});

describe('facesIn', () => {
  it('measures as the engine measures', async () => {
    const [face] = await facesOf(analyser, oneHead());
    expect(face).toEqual((await facesOf(node.engine, oneHead()))[0]);
    expect(face?.quality.sharpness).toBeGreaterThan(0);
  });

  it('has each face once, the widest first, and none of nothing', async () => {
    const two = frameWithHeads(800, 400, [
      { left: 0, top: 60, side: 280 },
      { seed: 5, left: 400, top: 0, side: 400 },
    ]);
    const faces = await facesOf(analyser, two);
    expect(faces.map(({ box }) => box.x > 400)).toEqual([true, false]);
    faces.forEach(wipeAnalysis);
    expect(faces.every(({ landmarks }) => landmarks.every((value) => value === 0))).toBe(true);
    expect(await facesOf(analyser, emptyFrame())).toEqual([]);
  });
});
