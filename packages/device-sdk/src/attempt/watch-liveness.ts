import { FaceError } from '@svc/core';
import type { Box, EngineImage, FaceEngine, PassiveLiveness } from '@svc/face-engine';
import { emptyEstimate, follow, type LivenessEstimate, outwardScore } from '../verification/liveness-estimate.ts';
import type { EventOf } from '../verification/states.ts';
import { type CameraFrame, releaseFrame } from './camera.ts';
import { FrameReader, type FrameReading } from './frame-reader.ts';

/** Result of one frame. Contains scores: for evaluation, never for a device's logs. */
export interface WatchedFrame {
  /** The camera's timestamp of the frame. */
  readonly timestampMs: number;
  /** 2: two or more. They are not scored, since an attempt pauses. */
  readonly faces: 0 | 1 | 2;
  /** Bounds of the tracked face's mesh, in pixels of the frame. */
  readonly box: Box | null;
  readonly yawDeg: number | null;
  readonly parallax: number | null;
  /** The frame's fused score, 0 to 1; null if it could not be scored. */
  readonly passive: number | null;
  /** The running estimate at this frame, which must reach 0.9; null while there is none. */
  readonly outward: number | null;
}

export class LivenessWatch {
  readonly #passiveLiveness: PassiveLiveness | null;
  #estimate: LivenessEstimate = emptyEstimate;

  constructor(passiveLiveness: PassiveLiveness | null) {
    this.#passiveLiveness = passiveLiveness;
  }

  /** @param reading of the frame at the event's time */
  watch({ event, face }: FrameReading, timestampMs: number): WatchedFrame {
    this.#estimate = follow(this.#estimate, event);
    const calibration = this.#passiveLiveness?.calibration;
    const seen: EventOf<'face'> | null = event.type === 'face' ? event : null;
    const passive = seen?.passive ?? null;
    return {
      timestampMs,
      faces: event.type === 'no-face' ? 0 : seen === null ? 2 : 1,
      box: face?.box ?? null,
      yawDeg: seen?.yawDeg ?? null,
      parallax: seen?.parallax ?? null,
      passive,
      // As in an attempt: a frame without a score neither helps nor ends anything.
      outward: passive === null || calibration === undefined ? null : outwardScore(this.#estimate, calibration),
    };
  }
}

/**
 * Passive liveness of recorded frames without an attempt. Each frame is read exactly as in an attempt. For evaluation.
 * @param frames by increasing time; others are skipped, as in an attempt
 * @throws FaceError `image-invalid`, and errors of the engine
 */
export async function* watchLiveness(input: {
  readonly engine: FaceEngine;
  readonly passiveLiveness: PassiveLiveness;
  readonly frames: AsyncIterable<CameraFrame> | Iterable<CameraFrame>;
}): AsyncGenerator<WatchedFrame> {
  const { engine, passiveLiveness, frames } = input;
  const reader = new FrameReader(engine, passiveLiveness);
  const watch = new LivenessWatch(passiveLiveness);
  let lastMs = Number.NEGATIVE_INFINITY;
  try {
    for await (const frame of frames) {
      const { timestampMs } = frame;
      let image: EngineImage | null = null;
      try {
        if (!Number.isFinite(timestampMs)) throw new FaceError('invalid-argument', 'a frame without a time');
        if (timestampMs <= lastMs) continue;
        lastMs = timestampMs;
        image = engine.open(frame.image);
        yield watch.watch(await reader.read(image, timestampMs), timestampMs);
      } finally {
        image?.dispose();
        releaseFrame(frame);
      }
    }
  } finally {
    reader.dispose();
  }
}
