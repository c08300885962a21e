import type { Camera, CameraFrame, Prompt, TurnDirection } from '@svc/device-sdk';
import {
  type HeadOptions,
  naturalSway,
  type RenderedImage,
  renderHead,
  renderPrint,
  renderScene,
  renderScreen,
} from '@svc/synthetic-faces';

/** Pose and frame at one moment. */
export interface Moment extends HeadOptions {
  readonly width: number;
  readonly height: number;
  readonly yawDeg: number;
  readonly distance: number;
}

/** The visitor, and how they react to turn prompts. */
export interface Visitor {
  /** `nobody`: an empty chair. `print` and `screen` show the person flat, turned by hand. Default `live`. */
  readonly kind?: 'live' | 'print' | 'screen' | 'nobody' | ((moment: Moment) => RenderedImage);
  readonly seed: number;
  /** Default `as-asked`. A function is a recording: yaw in degrees by time, ignoring prompts. */
  readonly turns?: 'as-asked' | 'wrong-way' | 'not-at-all' | ((tMs: number) => number);
  /** How far, degrees. Default 31. */
  readonly reachDeg?: number;
  /** A visitor who is still asked to turn continues slowly up to this angle. Default: stays. */
  readonly insistsToDeg?: number;
  /** Initial distance; at 1 the face fills a third of the frame's width. Default 1.25. */
  readonly distance?: number;
  /** Ignores “step back” and “come closer”. */
  readonly stays?: boolean;
  /** Seed of a second person beside the first. */
  readonly beside?: number;
}

export interface RenderedCameraOptions {
  readonly width?: number;
  readonly height?: number;
  readonly fps?: number;
  /** Duration of the camera. Default: longer than the window, so that the attempt ends first. */
  readonly durationMs?: number;
  /** Seed of the way of moving and of the noise. */
  readonly noiseSeed?: number;
}

const turnYawDeg = 31;
/**
 * Initial distance, and how far the visitor steps back when asked; at 1 the face fills a third of the frame's width.
 */
const distance = { first: 1.25, steppedBack: 1.7, closer: 1.4, perS: 0.6 };
/** Angular speed of an unhurried turn. */
const yawSpeedDegPerS = 60;
const reactionMs = 300;
/** After this time a visitor who is still asked to turn continues, at this speed. */
const insists = { afterMs: 1_500, degPerS: 20 };

/**
 * A camera before which a rendered visitor answers the prompts. Frames are rendered on demand and carry their own times
 * (`recorded`), so a slow machine sees the same attempt as a fast one.
 */
export function renderedCamera(visitor: Visitor, options: RenderedCameraOptions = {}): Camera {
  const { width = 640, height = 480, fps = 10, durationMs = 11_000, noiseSeed = 1 } = options;
  let asked: Asked = { direction: null, move: null, sinceMs: 0 };
  let nowMs = 0;

  async function* frames(signal: AbortSignal): AsyncGenerator<CameraFrame> {
    const sway = naturalSway(visitor.seed + noiseSeed);
    const stance: Stance = { yawDeg: 0, distance: visitor.distance ?? distance.first };
    for (let i = 0; !signal.aborted && (i * 1000) / fps < durationMs; i++) {
      nowMs = (i * 1000) / fps;
      if (typeof visitor.turns === 'function') stance.yawDeg = visitor.turns(nowMs);
      else answer(visitor, stance, asked, nowMs, fps);
      yield {
        image: draw(visitor, { width, height }, sway(nowMs), stance, noiseSeed * 1009 + i),
        timestampMs: nowMs,
      };
      // Rendering takes time; lets timers and the abort signal run.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    timing: 'recorded',
    frames,
    prompt(prompt: Prompt) {
      const direction = prompt.key === 'turn-head' ? (prompt.direction ?? null) : null;
      const move = prompt.hint === 'step-back' || prompt.hint === 'come-closer' ? prompt.hint : null;
      if (direction !== asked.direction || move !== asked.move) asked = { direction, move, sinceMs: nowMs };
    },
  };
}

/** The current prompt. */
interface Asked {
  readonly direction: TurnDirection | null;
  readonly move: 'step-back' | 'come-closer' | null;
  readonly sinceMs: number;
}

interface Stance {
  yawDeg: number;
  distance: number;
}

const towards = (from: number, to: number, step: number): number => from + Math.max(-step, Math.min(step, to - from));

/** Follows the prompt after a reaction time. */
function answer(
  visitor: Visitor,
  stance: Stance,
  { direction, move, sinceMs }: Asked,
  nowMs: number,
  fps: number,
): void {
  const askedForMs = nowMs - sinceMs;
  if (askedForMs < reactionMs) return;
  const target = targetYaw(visitor, direction);
  const further = visitor.insistsToDeg ?? 0;
  const goesOn = direction !== null && askedForMs >= insists.afterMs && further > Math.abs(target);
  stance.yawDeg = goesOn
    ? towards(stance.yawDeg, Math.sign(target) * further, insists.degPerS / fps)
    : towards(stance.yawDeg, target, yawSpeedDegPerS / fps);
  if (move === null || visitor.stays === true) return;
  const place =
    move === 'step-back' ? Math.max(distance.steppedBack, stance.distance) : Math.min(distance.closer, stance.distance);
  stance.distance = towards(stance.distance, place, distance.perS / fps);
}

function targetYaw(visitor: Visitor, direction: TurnDirection | null): number {
  if (direction === null || visitor.turns === 'not-at-all') return 0;
  const reachDeg = visitor.reachDeg ?? turnYawDeg;
  const asAsked = direction === 'left' ? reachDeg : -reachDeg;
  return visitor.turns === 'wrong-way' ? -asAsked : asAsked;
}

/** Recently drawn frames by their content: attempts of one person begin alike, and an empty chair does not change. */
const drawn = new Map<string, RenderedImage>();
const KEPT_FRAMES = 128;

function drawnOnce(what: string, recipe: object, render: () => RenderedImage): RenderedImage {
  const key = JSON.stringify([what, recipe]);
  const frame = drawn.get(key) ?? render();
  drawn.delete(key);
  drawn.set(key, frame);
  for (const oldest of drawn.keys()) {
    if (drawn.size <= KEPT_FRAMES) break;
    drawn.delete(oldest);
  }
  return frame;
}

function draw(
  visitor: Visitor,
  frame: { readonly width: number; readonly height: number },
  sway: ReturnType<ReturnType<typeof naturalSway>>,
  stance: Readonly<Stance>,
  noiseSeed: number,
) {
  const { kind = 'live', beside, seed } = visitor;
  const head = { ...sway, seed, noiseSeed, distance: stance.distance, yawDeg: stance.yawDeg + (sway.yawDeg ?? 0) };
  if (typeof kind === 'function') return kind({ ...frame, ...head });
  switch (kind) {
    case 'nobody': {
      const scene = { ...frame, heads: [] };
      return drawnOnce('scene', scene, () => renderScene(scene));
    }
    case 'print': {
      const print = { ...frame, head: { seed, noiseSeed }, turnDeg: head.yawDeg, tiltDeg: sway.pitchDeg ?? 0 };
      return drawnOnce('print', print, () => renderPrint(print));
    }
    case 'screen': {
      const screen = { ...frame, head };
      return drawnOnce('screen', screen, () => renderScreen(screen));
    }
    case 'live': {
      if (beside === undefined) {
        const one = { ...frame, ...head };
        return drawnOnce('head', one, () => renderHead(one));
      }
      const other = { seed: beside, centreX: 0.78, distance: stance.distance, noiseSeed: noiseSeed + 1 };
      const two = { ...frame, heads: [{ ...head, centreX: 0.28 }, other] };
      return drawnOnce('scene', two, () => renderScene(two));
    }
  }
}
