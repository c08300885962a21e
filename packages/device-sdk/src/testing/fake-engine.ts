import type { FaceCore, PixelImage } from '@svc/core';
import {
  type Box,
  type Detection,
  type EmbedOptions,
  type EngineImage,
  type EngineRecipe,
  type EvidenceFit,
  type FaceAnalysis,
  type FaceEngine,
  minifasnetCalibration,
  type PassiveLiveness,
  type ReliefFace,
  strictestLimits,
} from '@svc/face-engine';
import { drawnRelief, faceAnalysis } from '@svc/face-engine/testing';
import type { CameraFrame } from '../attempt/camera.ts';
import { overlap } from '../attempt/face-observer.ts';
import { DIMENSION, ENGINE_ID, THRESHOLD } from './fake-service.ts';

/** One head of a scene. */
export interface Head {
  readonly who: number;
  /** Box, in a frame of 640 × 480. */
  readonly x?: number;
  readonly width?: number;
  readonly yawDeg?: number;
  /** Default: that of a real head. */
  readonly parallax?: number;
  /** Height of the nose in inter-eye distances. Default: that of a real head. */
  readonly depth?: number;
  /** Aspect of a frontal or turned head. Default 0.8. */
  readonly aspect?: number;
  readonly live?: number | null;
  /** Default: as live as it scores. */
  readonly evidence?: number;
  /** The engine fails only for this head. */
  readonly broken?: boolean;
}
export interface Scene {
  readonly heads: readonly Head[];
  readonly fails?: boolean;
}

/** Unit templates: far apart for different people, opposite for the two engines. */
export function templateOf(who: number, engineId = ENGINE_ID): Float32Array {
  const template = new Float32Array(DIMENSION);
  template[who % DIMENSION] = engineId === ENGINE_ID ? 1 : -1;
  return template;
}

/** Another engine than {@link ENGINE_ID}, with the same dimension. */
export const OTHER_ENGINE_ID = 'other-engine/2';

export const fakeRecipe = (engineId = ENGINE_ID): EngineRecipe => ({
  engineId,
  modelId: `mdl_${'0'.repeat(26)}`,
  former: [],
  dimension: DIMENSION,
  matchThreshold: THRESHOLD,
  turnedMargin: 0,
  model: 'face-embedding',
  alignment: { kind: 'mean-face', padding: 0.25 },
  mirror: true,
  enrolmentLimits: strictestLimits,
});

const fit = minifasnetCalibration.evidence as EvidenceFit;
/** The real one with limits of evidence of its own. */
export const fakeCalibration = { ...minifasnetCalibration, evidence: { ...fit, surelyLive: 0.9, surelyAttack: 0.1 } };

const scenes = new WeakMap<PixelImage, Scene>();

/** Never read, and must never be changed. */
const PIXELS = new Uint8Array(640 * 480 * 3);

/** A frame with meaningless pixels, whose scene the fake engine knows. */
export function frameOf(scene: Scene, timestampMs: number): CameraFrame {
  const image: PixelImage = { data: PIXELS, width: 640, height: 480, channels: 3 };
  scenes.set(image, scene);
  return { image, timestampMs };
}

const boxOf = ({ x = 240, width = 160 }: Head): Box => ({ x, y: 120, width, height: 200 });

const drawn = new Map<string, ReliefFace>();

/** Copies, which the caller wipes. */
function reliefOf({ yawDeg = 0, depth = 0.45 }: Head): { landmarks: Float32Array; reliefChip: Uint8Array } {
  const key = `${yawDeg} ${depth}`;
  const face = drawn.get(key) ?? drawnRelief({ yawDeg, depth });
  drawn.set(key, face);
  return { landmarks: face.landmarks.slice(), reliefChip: face.reliefChip.slice() };
}

export interface FakeEngine extends FaceEngine {
  /** All data that must be wiped by the end of an attempt. */
  readonly handedOut: { readonly what: string; readonly data: Float32Array | Uint8Array }[];
  readonly openImages: () => number;
  /** Returns the score that the scene gives the head. */
  readonly passive: PassiveLiveness;
  readonly calls: { detect: number; track: number; analyse: number; embed: number };
  /** Calls and their engines, in order. */
  readonly asked: { readonly what: 'prepare' | 'embed'; readonly engineIds: readonly string[] }[];
}

/** @param engineIds engines whose templates it can make, the preferred one first */
export function createFakeEngine(engineIds: readonly string[] = [ENGINE_ID]): FakeEngine {
  const analyses = new WeakMap<FaceAnalysis, Head>();
  const images = new WeakMap<EngineImage, Scene>();
  const handedOut: FakeEngine['handedOut'] = [];
  const asked: FakeEngine['asked'] = [];
  const calls = { detect: 0, track: 0, analyse: 0, embed: 0 };
  let open = 0;

  const headsOf = (image: EngineImage): readonly Head[] => {
    const scene = images.get(image);
    if (scene === undefined) throw new Error('not an open image');
    if (scene.fails === true) throw new Error('the engine broke');
    return scene.heads;
  };
  const analysisOf = (head: Head): FaceAnalysis => {
    const { landmarks, reliefChip } = reliefOf(head);
    // The points that define the aspect: sides of the face, forehead and chin.
    landmarks.set([0, 100], 234 * 3);
    landmarks.set([100 * (head.aspect ?? 0.8), 100], 454 * 3);
    landmarks.set([40, 0], 10 * 3);
    landmarks.set([40, 100], 152 * 3);
    handedOut.push({ what: 'landmarks', data: landmarks }, { what: 'chip', data: reliefChip });
    const yawDeg = head.yawDeg ?? 0;
    const analysis: FaceAnalysis = {
      ...faceAnalysis({ box: boxOf(head), pose: { yawDeg }, quality: { faceWidthPx: boxOf(head).width } }),
      ...{ landmarks, reliefChip, parallax: head.parallax ?? Math.abs(yawDeg) / 150 },
    };
    analyses.set(analysis, head);
    return analysis;
  };
  const core: FaceCore = {
    kind: 'simd',
    image: () => {
      throw new Error('not used');
    },
    normalise: (vector) => {
      const norm = Math.hypot(...vector);
      vector.forEach((value, i) => {
        vector[i] = value / norm;
      });
      return norm > 0;
    },
    cosine: (a, b) => {
      handedOut.push({ what: 'probe', data: a }, { what: 'reference', data: b });
      return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
    },
  };
  return {
    engineId: engineIds[0] ?? ENGINE_ID,
    dimension: DIMENSION,
    matchThreshold: THRESHOLD,
    recipes: engineIds.map(fakeRecipe),
    core,
    handedOut,
    calls,
    asked,
    passive: {
      name: 'minifasnet',
      calibration: fakeCalibration,
      score: async (_image, face) => {
        const { live = 0.95, evidence = live } = analyses.get(face) ?? {};
        return live === null ? null : { score: live, evidence };
      },
      dispose: () => undefined,
    },
    openImages: () => open,
    open: (pixels) => {
      const scene = scenes.get(pixels);
      if (scene === undefined) throw new Error('unknown frame');
      open += 1;
      const image: EngineImage = {
        width: pixels.width,
        height: pixels.height,
        dispose: () => {
          open -= 1;
          images.delete(image);
        },
      };
      images.set(image, scene);
      return image;
    },
    detect: async (image) => {
      calls.detect += 1;
      return headsOf(image).map((head): Detection => ({ box: boxOf(head), keypoints: [], score: 0.9 }));
    },
    analyse: async (image, { box }) => {
      calls.analyse += 1;
      const head = headsOf(image).find((candidate) => overlap(boxOf(candidate), box) > 0.9);
      if (head?.broken === true) throw new Error('the engine broke');
      return head === undefined ? null : analysisOf(head);
    },
    track: async (image, previous) => {
      calls.track += 1;
      // Like the mesh, it follows any face near the last position.
      const head = headsOf(image).find((candidate) => overlap(boxOf(candidate), previous.box) > 0.2);
      return head === undefined ? null : analysisOf(head);
    },
    prepare: async (ids) => {
      asked.push({ what: 'prepare', engineIds: ids });
    },
    embed: async (_image, analysis, { engineId = engineIds[0] ?? ENGINE_ID }: EmbedOptions = {}) => {
      calls.embed += 1;
      asked.push({ what: 'embed', engineIds: [engineId] });
      const template = templateOf(analyses.get(analysis)?.who ?? 0, engineId);
      handedOut.push({ what: 'embedding', data: template });
      return template;
    },
    enrol: async () => ({ ok: false, reason: 'no-face' }),
    dispose: () => undefined,
  };
}
