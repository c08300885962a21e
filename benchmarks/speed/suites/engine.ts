import { ok } from 'node:assert/strict';
import type { EngineRecipe } from '@svc/face-engine';
import { stageCases } from '../inputs/engine-stages.ts';
import { benchEngine, withoutAddOn } from '../inputs/engines.ts';
import { benchPhoto, checkSameFace, frameHeight, frameWidth, oneFace } from '../inputs/photo.ts';
import { pseudoRandomBytes } from '../inputs/random.ts';
import { createFaceApi } from '../peers/face-api.ts';
import { createHuman } from '../peers/human.ts';
import type { HumanFace } from '../peers/human-config.ts';
import type { BenchCase, Ratio, SuiteFactory } from '../suite.ts';

const size = { width: frameWidth, height: frameHeight };

/** The engine with the same network as face-api. */
const sameAsFaceApi = 'dlib-resnet-128-mirror/1';
const onCoreName = (engineId: string): string => `core's kernels: embed a probe, ${engineId}`;

/** Every stage separately on both runtimes, the embedding also on the core's own kernels, and the peers' stages. */
export const createSuite: SuiteFactory = async () => {
  const photo = await benchPhoto();
  const tfjsTflite = await benchEngine('tfjs-tflite');
  const litert = await benchEngine('litert');
  const combined = await benchEngine('core+tfjs-tflite');
  const { analysis } = await oneFace(tfjsTflite.engine, photo.rgba);
  const detector = await createHuman([], true, size);
  const mesh = await createHuman(['mesh'], true, size);
  const faceApi = await createFaceApi(size);
  const chip = pseudoRandomBytes(150 * 150 * 3, 5);

  const frame = combined.engine.open(photo.rgba);
  const onCore = ({ engineId, dimension }: EngineRecipe): BenchCase => ({
    name: onCoreName(engineId),
    run: () => combined.engine.embed(frame, analysis, { engineId, mirror: false }),
    check: async () => {
      const ours = await combined.engine.embed(frame, analysis, { engineId, mirror: false });
      const image = tfjsTflite.engine.open(photo.rgba);
      const theirs = await tfjsTflite.engine.embed(image, analysis, { engineId, mirror: false });
      image.dispose();
      ok(ours.length === dimension && ours.every((value, i) => Math.abs(value - (theirs[i] ?? Number.NaN)) <= 1e-5));
    },
  });

  const checkHuman = (faces: readonly HumanFace[], points: number) => {
    const [face, ...others] = faces;
    ok(face && others.length === 0 && face.mesh.length >= points);
    const [x, y, width, height] = face.box;
    checkSameFace(analysis.box, { x, y, width, height });
  };
  const peers: readonly BenchCase[] = [
    {
      name: 'human: detector',
      run: () => detector.detect(photo.rgb),
      check: async () => checkHuman(await detector.detect(photo.rgb), 0),
    },
    {
      name: 'human: detector and mesh',
      run: () => mesh.detect(photo.rgb),
      check: async () => checkHuman(await mesh.detect(photo.rgb), 468),
    },
    {
      name: 'face-api: descriptor',
      run: () => faceApi.descriptor(chip),
      check: async () => {
        const descriptor = await faceApi.descriptor(chip);
        ok(descriptor.length === 128 && descriptor.every(Number.isFinite));
      },
    },
  ];
  const ratios: readonly Ratio[] = [
    { name: "detector: ours over Human's", fast: 'tfjs-tflite: detect', slow: 'human: detector' },
    {
      name: "embedding, one pass: ours over face-api's, the same network",
      fast: onCoreName(sameAsFaceApi),
      slow: 'face-api: descriptor',
    },
    {
      name: "embedding: the core's kernels over tfjs-tflite",
      fast: onCoreName(combined.engine.engineId),
      slow: 'tfjs-tflite: embed a probe',
    },
    {
      name: 'embedding: LiteRT.js over tfjs-tflite',
      fast: 'litert: embed a probe',
      slow: 'tfjs-tflite: embed a probe',
    },
    { name: 'tracking: LiteRT.js over tfjs-tflite', fast: 'litert: track', slow: 'tfjs-tflite: track' },
  ];
  return {
    title: 'Engine, stage by stage',
    about: `One frame of ${frameWidth}×${frameHeight}, ${photo.what}. «analyse» is mesh, pose and quality from a detection; «track» the same from the frame before. A reference is embedded with its mirror image (two passes), a probe without.`,
    cases: [
      ...(await stageCases('tfjs-tflite', tfjsTflite, photo.rgba)),
      ...(await stageCases('litert', litert, photo.rgba)),
      ...combined.engine.recipes.map(onCore),
      ...peers,
    ],
    ratios,
    skipped: tfjsTflite.passiveLiveness === null ? [withoutAddOn] : [],
  };
};
