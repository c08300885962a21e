import { clamp } from './math.ts';
import { Random } from './random.ts';
import type { RenderedImage } from './render/sensor.ts';
import { renderHead } from './scene.ts';
import type { HeadOptions } from './types.ts';

/** A head's pose at a moment of a clip; missing values are those of the clip's head. */
export type Motion = (tMs: number) => Partial<HeadOptions>;

export interface HeadTurnOptions {
  /** Looking at the camera before the turn. Default 1200. */
  readonly frontalMs?: number;
  /** From the front to the full turn. Default 900. */
  readonly turnMs?: number;
  /** Holding the turn. Default 500. */
  readonly holdMs?: number;
  /** Back to the front. Default 800. */
  readonly returnMs?: number;
  /** Default 28 degrees. */
  readonly maxYawDeg?: number;
  /** Small involuntary movement: 0 none, 1 ordinary. Default 1. */
  readonly jitter?: number;
}

/** Acceleration and deceleration of a voluntary movement: the minimum-jerk profile of Flash and Hogan, 1985. */
const minimumJerk = (t: number): number => {
  const x = clamp(t, 0, 1);
  return x * x * x * (10 + x * (6 * x - 15));
};

/** A person who looks ahead, turns to their own left or right, holds, and returns; frontal ever after. */
export function headTurn(direction: 'left' | 'right', options: HeadTurnOptions = {}): Motion {
  const { frontalMs = 1200, turnMs = 900, holdMs = 500, returnMs = 800, maxYawDeg = 28 } = options;
  const sign = direction === 'left' ? 1 : -1;
  const sway = naturalSway(1, options.jitter);
  return (tMs) => {
    const out = minimumJerk((tMs - frontalMs) / Math.max(1, turnMs));
    const back = minimumJerk((tMs - frontalMs - turnMs - holdMs) / Math.max(1, returnMs));
    const share = out - back;
    const small = sway(tMs);
    return {
      ...small,
      yawDeg: sign * maxYawDeg * share + (small.yawDeg ?? 0),
      // A turning head tips a little and moves with the neck.
      pitchDeg: -1.5 * share + (small.pitchDeg ?? 0),
      rollDeg: sign * 1.2 * share + (small.rollDeg ?? 0),
    };
  };
}

/** A person in front of the camera with natural movement: swaying by a degree or two and blinking now and then. */
export function naturalSway(seed = 1, strength = 1): Motion {
  const random = new Random(seed, 'sway');
  const wave = (amplitude: number): ((tMs: number) => number) => {
    const [f1, f2, p1, p2] = [
      random.range(0.25, 0.5),
      random.range(0.7, 1.4),
      random.range(0, 6.3),
      random.range(0, 6.3),
    ];
    return (tMs) =>
      strength *
      amplitude *
      (Math.sin(((2 * Math.PI * tMs) / 1000) * f1 + p1) + 0.4 * Math.sin(((2 * Math.PI * tMs) / 1000) * f2 + p2));
  };
  const [yaw, pitch, roll] = [wave(1), wave(0.8), wave(0.6)];
  const firstBlink = random.range(400, 2500);
  const period = random.range(2600, 4500);
  return (tMs) => {
    const phase = (tMs - firstBlink) % period;
    const blink = phase >= 0 && phase < 220 ? Math.sin((Math.PI * phase) / 220) ** 2 : 0;
    return {
      yawDeg: yaw(tMs),
      pitchDeg: pitch(tMs),
      rollDeg: roll(tMs),
      expression: { blink: strength > 0 ? blink : 0 },
    };
  };
}

export interface ClipOptions {
  readonly width: number;
  readonly height: number;
  readonly head: HeadOptions;
  readonly motion: Motion;
  readonly fps: number;
  readonly durationMs: number;
}

export type ClipFrame = RenderedImage & { readonly tMs: number };

/** Slow drift of a standing person, as shares of the frame. */
function drift(seed: number): (tMs: number) => readonly [number, number] {
  const random = new Random(seed, 'drift');
  const [fx, fy, px, py] = [random.range(0.2, 0.5), random.range(0.2, 0.5), random.range(0, 6.3), random.range(0, 6.3)];
  return (tMs) => [
    0.004 * Math.sin((2 * Math.PI * tMs * fx) / 1000 + px),
    0.004 * Math.sin((2 * Math.PI * tMs * fy) / 1000 + py),
  ];
}

/**
 * Frames of a person's clip, rendered one by one as they are asked for; `tMs` runs from 0 in steps of 1000 / fps. Every
 * frame has noise of its own.
 *
 * @throws RangeError when the size is out of range
 */
export function* renderClip({ width, height, head, motion, fps, durationMs }: ClipOptions): Generator<ClipFrame> {
  const count = Math.max(1, Math.round((durationMs * fps) / 1000));
  const wander = drift(head.seed + (head.noiseSeed ?? 0));
  for (let i = 0; i < count; i++) {
    const tMs = (i * 1000) / fps;
    const [dx, dy] = wander(tMs);
    const posed: HeadOptions = {
      ...head,
      centreX: (head.centreX ?? 0.5) + dx,
      centreY: (head.centreY ?? 0.48) + dy,
      ...motion(tMs),
      noiseSeed: (head.noiseSeed ?? 0) * 100_003 + i + 1,
    };
    yield Object.assign(renderHead({ width, height, ...posed }), { tMs });
  }
}
