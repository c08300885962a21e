import {
  type Box,
  type EngineImage,
  type FaceAnalysis,
  type FaceEngine,
  faceAspect,
  livenessContextScale,
  minifasnetCalibration,
  type PassiveCalibration,
  type PassiveLiveness,
  ReliefMeter,
} from '@svc/face-engine';
import { STANDARD_POLICY } from '../verification/policy.ts';
import type { EventOf, PromptHint } from '../verification/states.ts';
import { FaceObserver, motionBetween } from './face-observer.ts';

/** Result of a frame. The reader owns the analysis and wipes it at the next frame. */
export type FrameReading =
  | { readonly event: EventOf<'no-face' | 'several-faces'>; readonly face: null }
  | { readonly event: EventOf<'face'>; readonly face: FaceAnalysis };

/**
 * Turns frames into events of the verification: face tracking, passive score, hint. The only place where frames are
 * scored, so that attempts and evaluations get the same numbers.
 */
export class FrameReader {
  readonly #observer: FaceObserver;
  readonly #relief = new ReliefMeter({ ...STANDARD_POLICY.relief, frontalYawDeg: STANDARD_POLICY.frontalYawDeg });
  readonly #passiveLiveness: PassiveLiveness | null;
  /** Box of the face in the previous frame; null unless it was the only one. */
  #before: Box | null = null;

  constructor(engine: FaceEngine, passiveLiveness: PassiveLiveness | null) {
    this.#observer = new FaceObserver(engine);
    this.#passiveLiveness = passiveLiveness;
  }

  get detections(): number {
    return this.#observer.detections;
  }

  async read(image: EngineImage, atMs: number): Promise<FrameReading> {
    const observation = await this.#observer.observe(image, atMs);
    if (observation.kind === 'nobody') {
      this.#relief.dispose();
      this.#before = null;
      return { event: { type: 'no-face', atMs }, face: null };
    }
    const { track } = observation;
    if (track !== 'same') this.#relief.dispose();
    const before = track === 'same' ? this.#before : null;
    this.#before = observation.kind === 'one' ? observation.analysis.box : null;
    if (observation.kind === 'several') return { event: { type: 'several-faces', atMs, track }, face: null };
    const { analysis } = observation;
    const scored = (await this.#passiveLiveness?.score(image, analysis)) ?? null;
    // Without a passive check, the same hints help the comparison.
    const calibration = this.#passiveLiveness?.calibration ?? minifasnetCalibration;
    const { landmarks, parallax, pose } = analysis;
    const hint = hintFor(image, analysis, calibration);
    return {
      event: {
        type: 'face',
        atMs,
        track: observation.track,
        motion: before === null ? null : motionBetween(before, analysis.box),
        yawDeg: pose.yawDeg,
        parallax,
        aspect: faceAspect(landmarks),
        relief: this.#relief.read(analysis),
        passive: scored?.score ?? null,
        evidence: scored?.evidence ?? null,
        room: livenessContextScale(image, analysis.box),
        hint,
      },
      face: analysis,
    };
  }

  dispose(): void {
    this.#observer.dispose();
    this.#relief.dispose();
  }
}

/**
 * The hint that lets the frame be judged, or judged better; null if none is needed. One hint per limit of the passive
 * check, and a last one for a scored face with little room around it.
 */
export function hintFor(
  image: Pick<EngineImage, 'width' | 'height'>,
  face: FaceAnalysis,
  { room, scorable }: Pick<PassiveCalibration, 'room' | 'scorable'>,
): PromptHint | null {
  const { box, quality } = face;
  const around = livenessContextScale(image, box);
  if (around < scorable.contextScale) return 'step-back';
  if (quality.interEyePx < scorable.interEyePx) return 'come-closer';
  if (quality.brightness < scorable.brightness) return 'more-light';
  if (quality.overexposed > scorable.overexposed) return 'less-light';
  if (quality.sharpness < scorable.sharpness) return 'hold-still';
  return around < room.comfortableFrom ? 'step-back' : null;
}
