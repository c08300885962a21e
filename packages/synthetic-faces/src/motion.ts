import { clamp } from './math.ts';
import { Random } from './random.ts';
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
  /** Which involuntary movement. Default 1. */
  readonly jitterSeed?: number;
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
  const sway = naturalSway(options.jitterSeed ?? 1, options.jitter ?? 1);
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
