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
  const perFrame = (ms: number) => `${(ms / clip.length).toFixed(1)} ms a frame`;
  return {
    title: 'Whole frames',
    about: `We process one frame of ${frameWidth}×${frameHeight} (“a probe”), ${photo.what}, with detector, mesh, pose, quality, passive liveness${passive === null ? ' (absent here)' : ''} and embedding (${engine.engineId}). The library Human processes the same frame. The clip shows a turning head: ${clip.length} frames, ${fps} a second. As on a device, we track the face, run the detector twice a second, and embed the first and the last frame.`,
    cases: [
      {
        name: 'ours, a probe',
        run: () => wholeFrame(loaded, photo.rgba, { mirror: false }),
        check: async () => {
          const { face, score, template } = await wholeFrame(loaded, photo.rgba, { mirror: false });
          ok(face && template?.length === engine.dimension && (score !== null) === (passiveLiveness !== null));
        },
      },
      {
        name: 'Human',
        run: () => human.detect(photo.rgb),
        check: async () => checkHuman(await human.detect(photo.rgb), analysis.box),
      },
      {
        name: 'ours, clip with tracking',
        run: wholeClip,
        check: async () => {
          const { tracked, embedded } = await wholeClip();
          ok(tracked === clip.length - 1 && embedded === 2, 'the head is tracked from frame to frame');
        },
      },
      {
        name: 'Human, clip, every frame whole',
        run: () => humanClip(human),
        check: async () => ok((await humanClip(human)) === clip.length),
      },
      {
        name: 'Human, clip, results reused for seconds (its default)',
        run: () => humanClip(humanOnVideo),
        check: async () => ok((await humanClip(humanOnVideo)) === clip.length),
      },
    ],
    ratios: [
      { name: 'whole frame: ours over Human', fast: 'ours, a probe', slow: 'Human', atLeast: 7.5 },
      {
        name: 'clip: ours with tracking over Human',
        fast: 'ours, clip with tracking',
        slow: 'Human, clip, every frame whole',
        atLeast: 18,
      },
      {
        name: 'clip: ours, liveness scored on every frame, over Human reusing results',
        fast: 'ours, clip with tracking',
        slow: 'Human, clip, results reused for seconds (its default)',
      },
    ],
    figures: [
      { name: 'Ours on the clip', text: (medianMs) => perFrame(medianMs('ours, clip with tracking')) },
      { name: 'Human on the clip', text: (medianMs) => perFrame(medianMs('Human, clip, every frame whole')) },
      {
        name: 'Ours on the clip, share of the time spent computing',
        text: (medianMs) => {
          const ms = (medianMs('ours, clip with tracking') / clip.length) * ((windowMs / 1000) * fps);
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
