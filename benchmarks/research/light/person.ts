import type { FaceAnalysis, FaceEngine } from '@svc/face-engine';
import {
  AutoCamera,
  type Display,
  displayLight,
  displays,
  type LitScene,
  naturalSway,
  panelOf,
  type RenderedImage,
  renderLitHead,
} from '@svc/synthetic-faces';
import { SeededDraws } from './seeded-draws.ts';

/** A frame's scene with the engine's analysis of the face. */
export interface Moment {
  readonly atMs: number;
  readonly scene: LitScene;
  readonly face: FaceAnalysis;
}

/** A person at a door for three and a half seconds, before light is added. */
export interface Person {
  readonly seed: number;
  readonly display: Display;
  /** Distance to the camera, as of `HeadOptions`; 1 is 44 cm. */
  readonly distance: number;
  readonly moments: readonly Moment[];
  /** The person at any moment, turned to a side. */
  sceneAt(atMs: number, yawDeg?: number): LitScene;
}

export const size = { width: 320, height: 240 } as const;
export const fps = 10;
const durationMs = 3_600;

/** Renders a person once; every light and every attack uses these scenes. Null if the engine loses the face. */
export async function renderPerson(engine: FaceEngine, seed: number): Promise<Person | null> {
  const draws = new SeededDraws(seed * 7 + 3);
  const display = draws.pick(displays);
  const distance = draws.between(0.92, 1.36);
  const light = { azimuthDeg: draws.between(-60, 60), elevationDeg: draws.between(15, 75) };
  const sway = naturalSway(seed);
  const sceneAt = (atMs: number, yawDeg = 0): LitScene => {
    const swayed = sway(atMs);
    return renderLitHead({
      ...size,
      ...swayed,
      yawDeg: yawDeg + (swayed.yawDeg ?? 0),
      seed,
      distance,
      light,
      background: { seed: 1 + Math.floor(draws.fixed * 40) },
      panel: panelOf(display),
      wallCm: 120 + 300 * draws.fixed,
    });
  };
  const moments: Moment[] = [];
  const camera = new AutoCamera({ seed });
  const room = { ambientLux: 300, ambientColour: [1, 1, 1], screen: displayLight(display, null) } as const;
  let last: FaceAnalysis | null = null;
  for (let atMs = 0; atMs < durationMs; atMs += 1000 / fps) {
    const scene = sceneAt(atMs);
    last = await look(engine, camera.take(scene, room, atMs), last);
    if (last === null) return null;
    moments.push({ atMs, scene, face: last });
  }
  return { seed, display, distance, moments, sceneAt };
}

async function look(engine: FaceEngine, frame: RenderedImage, last: FaceAnalysis | null): Promise<FaceAnalysis | null> {
  const image = engine.open(frame);
  try {
    const tracked = last === null ? null : await engine.track(image, last);
    if (tracked !== null) return tracked;
    const [detection] = await engine.detect(image);
    return detection === undefined ? null : await engine.analyse(image, detection);
  } finally {
    image.dispose();
  }
}
