import { ok } from 'node:assert/strict';
import type { PixelImage } from '@svc/core';
import { type Detection, type FaceAnalysis, wipeAnalysis } from '@svc/face-engine';
import { headTurn, renderClip } from '@svc/synthetic-faces';
import { benchEngine, withoutAddOn } from '../inputs/engines.ts';
import {
  benchPhoto,
  checkHuman,
  frameHeight,
  frameWidth,
  oneFace,
  passiveOf,
  wholeFrame,
  withoutAlpha,
} from '../inputs/photo.ts';
import { createHuman } from '../peers/human.ts';
import type { SuiteFactory } from '../suite.ts';

const size = { width: frameWidth, height: frameHeight };
const windowMs = 10_000;
const fps = 10;
/** A device's work in this many frames: two searches per second for a second face, two comparisons per attempt. */
const redetectEvery = 5;

/** A whole frame, and a clip, against whole peers. */
export const createSuite: SuiteFactory = async (scale) => {
  const photo = await benchPhoto();
  const loaded = await benchEngine();
  const { engine, passiveLiveness } = loaded;
  const { analysis } = await oneFace(engine, photo.rgba);
  const passive = await passiveOf(loaded, photo.rgba);
  const human = await createHuman({ ...size, everyFrame: true });
  const humanOnVideo = await createHuman({ ...size, everyFrame: false });
  const clip = videoFrames(scale === 'full' ? 3_000 : 500);

  async function wholeClip() {
    let tracked = 0;
    let embedded = 0;
    let before: FaceAnalysis | null = null;
    for (const [i, { rgba }] of clip.entries()) {
      const image = engine.open(rgba);
      const face: FaceAnalysis | null = before && (await engine.track(image, before));
      const detections: readonly Detection[] = face && i % redetectEvery !== 0 ? [] : await engine.detect(image);
      const [first] = detections;
      const seen: FaceAnalysis | null = face ?? (first ? await engine.analyse(image, first) : null);
      if (face) tracked += 1;
      if (seen && passiveLiveness) await passiveLiveness.score(image, seen);
      if (seen && (i === 0 || i === clip.length - 1)) {
        await engine.embed(image, seen, { mirror: false });
        embedded += 1;
      }
      image.dispose();
      if (before) wipeAnalysis(before);
      before = seen;
    }
    return { tracked, embedded };
  }

  const humanClip = async (peer: typeof human) => {
    let faces = 0;
    for (const { rgb } of clip) faces += (await peer.detect(rgb)).length;
    return faces;
  };
  const perFrame = (ms: number) => `${(ms / clip.length).toFixed(1)} ms`;
  return {
    title: 'Whole frames',
    about: `“Ours” processes one frame of ${frameWidth}×${frameHeight}, ${photo.what}, with detector, mesh, pose, quality, passive liveness${passive === null ? ' (absent here)' : ''} and embedding (${engine.engineId}). The library Human processes the same frame. The clip shows a turning head: ${clip.length} frames, ${fps} a second. As on a device, ours tracks the face, runs the detector twice a second, scores liveness on every frame, and embeds the first and last frame.`,
    cases: [
      {
        name: 'one frame: ours',
        run: () => wholeFrame(loaded, photo.rgba, { mirror: false }),
        check: async () => {
          const { face, score, template } = await wholeFrame(loaded, photo.rgba, { mirror: false });
          ok(face && template?.length === engine.dimension && (score !== null) === (passiveLiveness !== null));
        },
      },
      {
        name: 'one frame: Human',
        run: () => human.detect(photo.rgb),
        check: async () => checkHuman(await human.detect(photo.rgb), analysis.box),
      },
      {
        name: 'clip: ours',
        run: wholeClip,
        check: async () => {
          const { tracked, embedded } = await wholeClip();
          ok(tracked === clip.length - 1 && embedded === 2, 'the head is tracked from frame to frame');
        },
      },
      {
        name: 'clip: Human',
        run: () => humanClip(human),
        check: async () => ok((await humanClip(human)) === clip.length),
      },
      {
        name: 'clip: Human reusing results',
        run: () => humanClip(humanOnVideo),
        check: async () => ok((await humanClip(humanOnVideo)) === clip.length),
      },
    ],
    ratios: [
      { name: 'one frame: ours over Human', fast: 'one frame: ours', slow: 'one frame: Human', atLeast: 7.5 },
      {
        name: 'clip: ours over Human',
        fast: 'clip: ours',
        slow: 'clip: Human',
        atLeast: 18,
      },
      {
        name: 'clip: ours over Human reusing results',
        fast: 'clip: ours',
        slow: 'clip: Human reusing results',
      },
    ],
    figures: [
      {
        name: 'each frame of the clip',
        text: (medianMs) => `ours ${perFrame(medianMs('clip: ours'))}, Human ${perFrame(medianMs('clip: Human'))}`,
      },
      {
        name: `processor use of ours at ${fps} frames a second`,
        text: (medianMs) => {
          const ms = (medianMs('clip: ours') / clip.length) * ((windowMs / 1000) * fps);
          return `${((100 * ms) / windowMs).toFixed(0)} %`;
        },
      },
    ],
    rounds: 11,
    batchMs: 300,
    skipped: passive === null ? [withoutAddOn] : [],
    close: loaded.close,
  };
};

interface VideoFrame {
  readonly rgba: PixelImage;
  readonly rgb: Uint8Array;
}

function videoFrames(durationMs: number): readonly VideoFrame[] {
  const motion = headTurn('left', { frontalMs: 600, turnMs: 900, holdMs: 300, returnMs: 900 });
  const clip = renderClip({
    head: { seed: 11, distance: 1.6 },
    motion,
    fps,
    durationMs,
    width: frameWidth,
    height: frameHeight,
  });
  return [...clip].map((frame) => ({
    rgba: frame,
    rgb: withoutAlpha(frame.data),
  }));
}
