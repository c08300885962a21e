import {
  type Box,
  type Detection,
  type EngineImage,
  type FaceAnalysis,
  type FaceEngine,
  wipeAnalysis,
} from '@svc/face-engine';
import type { Track } from '../verification/states.ts';

export type Observation =
  | { readonly kind: 'nobody' }
  /** The observer owns the analysis and wipes it at the next frame. */
  | { readonly kind: 'one'; readonly track: Track; readonly analysis: FaceAnalysis }
  | { readonly kind: 'several'; readonly track: Track | 'lost' };

/**
 * Interval of the detector's search for other faces while one is tracked. While several are in view, it runs on each
 * frame.
 */
const REDETECT_MS = 500;
/** Minimum width of another face relative to the tracked one: smaller ones are farther back or pictures. */
const SECOND_FACE_WIDTH = 0.5;
/** Maximum detections processed per frame, largest first. */
const MAX_DETECTIONS = 4;
/** Boxes with a larger overlap are one face. */
const SAME_FACE_OVERLAP = 0.3;

/**
 * Follows the guest's face between frames by the mesh. The detector runs when the track is lost, and periodically to
 * notice a second face.
 */
export class FaceObserver {
  readonly #engine: FaceEngine;
  #last: Sighting | null = null;
  #detectedAtMs = Number.NEGATIVE_INFINITY;
  #several = false;
  #detections = 0;
  /** Analyses made for the current frame: wiped if processing fails. */
  #fresh: FaceAnalysis[] = [];

  constructor(engine: FaceEngine) {
    this.#engine = engine;
  }

  get detections(): number {
    return this.#detections;
  }

  async observe(image: EngineImage, atMs: number): Promise<Observation> {
    try {
      return await this.#observe(image, atMs);
    } catch (error) {
      for (const analysis of this.#fresh) wipeAnalysis(analysis);
      throw error;
    } finally {
      this.#fresh = [];
    }
  }

  dispose(): void {
    this.#remember(null);
  }

  async #observe(image: EngineImage, atMs: number): Promise<Observation> {
    const before = this.#last;
    const tracked = before === null ? null : await this.#tracked(image, atMs, before);
    const due = this.#several || atMs - this.#detectedAtMs >= REDETECT_MS;
    if (tracked !== null && !due) return this.#one(tracked, 'same');
    const found = await this.#detect(image, atMs, tracked);
    const primary = tracked ?? this.#choose(found, before);
    if (primary === null) {
      this.#remember(null);
      this.#several = false;
      return { kind: 'nobody' };
    }
    const same = before !== null && (tracked !== null || isPlausiblySame(before, primary));
    const width = primary.analysis.quality.faceWidthPx * SECOND_FACE_WIDTH;
    const others = found.filter((other) => other !== primary);
    this.#several = others.some(({ analysis }) => analysis.quality.faceWidthPx >= width);
    for (const { analysis } of others) wipeAnalysis(analysis);
    if (!this.#several) return this.#one(primary, same ? 'same' : 'new');
    this.#remember(primary);
    return { kind: 'several', track: same ? 'same' : before === null ? 'new' : 'lost' };
  }

  #one(sighting: Sighting, track: Track): Observation {
    this.#remember(sighting);
    return { kind: 'one', track, analysis: sighting.analysis };
  }

  #remember(sighting: Sighting | null): void {
    if (this.#last !== null && this.#last.analysis !== sighting?.analysis) wipeAnalysis(this.#last.analysis);
    this.#last = sighting;
  }

  async #tracked(image: EngineImage, atMs: number, before: Sighting): Promise<Sighting | null> {
    const analysis = await this.#engine.track(image, before.analysis);
    if (analysis === null) return null;
    this.#fresh.push(analysis);
    const sighting = { analysis, atMs };
    if (isPlausiblySame(before, sighting)) return sighting;
    wipeAnalysis(analysis);
    return null;
  }

  /** The confirmed faces, largest first, without the tracked one. */
  async #detect(image: EngineImage, atMs: number, tracked: Sighting | null): Promise<readonly Sighting[]> {
    this.#detections += 1;
    this.#detectedAtMs = atMs;
    const wide = (detection: Detection): boolean =>
      tracked === null ||
      (overlap(detection.box, tracked.analysis.box) < SAME_FACE_OVERLAP &&
        // The detector's box is about as wide as the mesh; only a clearly smaller one is skipped.
        detection.box.width >= tracked.analysis.quality.faceWidthPx * SECOND_FACE_WIDTH * 0.7);
    const candidates = [...(await this.#engine.detect(image))]
      .filter(wide)
      .sort((a, b) => b.box.width - a.box.width)
      .slice(0, MAX_DETECTIONS);
    const found: Sighting[] = [];
    for (const candidate of candidates) {
      const analysis = await this.#engine.analyse(image, candidate);
      if (analysis === null) continue;
      this.#fresh.push(analysis);
      const known = tracked === null ? found : [...found, tracked];
      if (known.some((other) => overlap(other.analysis.box, analysis.box) >= SAME_FACE_OVERLAP)) wipeAnalysis(analysis);
      else found.push({ analysis, atMs });
    }
    return found.sort((a, b) => b.analysis.quality.faceWidthPx - a.analysis.quality.faceWidthPx);
  }

  /** The face that continues the previous sighting, else the largest. */
  #choose(found: readonly Sighting[], before: Sighting | null): Sighting | null {
    const same = before === null ? undefined : found.find((sighting) => isPlausiblySame(before, sighting));
    return same ?? found[0] ?? null;
  }
}

export interface Sighting {
  readonly analysis: FaceAnalysis;
  readonly atMs: number;
}

/** Maximum movement of a head between two processed frames. */
export const continuityLimits = {
  gapMs: 1_000,
  centreShift: 0.6,
  /** Factor of the face's height: a turn narrows a face but does not shorten it. */
  heightRatio: 1.4,
  yawDeg: 60,
} as const;

const centre = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

/** Movement of the centre, in widths. */
function shiftBetween(before: Box, after: Box): number {
  const [from, to] = [centre(before), centre(after)];
  return Math.hypot(to.x - from.x, to.y - from.y) / Math.max(1, before.width);
}

/** Whether one head can have moved from one sighting to the next. Comparisons, not this, establish identity. */
export function isPlausiblySame(before: Sighting, after: Sighting): boolean {
  const [a, b] = [before.analysis.box, after.analysis.box];
  const ratio = b.height / Math.max(1, a.height);
  const turned = Math.abs(after.analysis.pose.yawDeg - before.analysis.pose.yawDeg);
  return (
    after.atMs - before.atMs <= continuityLimits.gapMs &&
    shiftBetween(a, b) <= continuityLimits.centreShift &&
    ratio <= continuityLimits.heightRatio &&
    ratio >= 1 / continuityLimits.heightRatio &&
    turned <= continuityLimits.yawDeg
  );
}

/** Movement of a face between frames: of its centre in widths, or of its height in heights, whichever is larger. */
export function motionBetween(before: Box, after: Box): number {
  return Math.max(shiftBetween(before, after), Math.abs(after.height / Math.max(1, before.height) - 1));
}

export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (a.width * a.height + b.width * b.height - shared);
}
