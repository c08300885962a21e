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

/** How what is before the camera is posed at one moment, and the frame that it is seen in. */
export interface Moment extends HeadOptions {
  readonly width: number;
  readonly height: number;
  readonly yawDeg: number;
  readonly distance: number;
}

/** Who or what stands before the camera, and what they do when they are asked to turn. */
export interface Visitor {
  /**
   * `nobody`: an empty chair. `print` and `screen` show the person flat, turned as a hand would turn them. Default
   * `live`.
   */
  readonly kind?: 'live' | 'print' | 'screen' | 'nobody' | ((moment: Moment) => RenderedImage);
  readonly seed: number;
  /** Default `as-asked`. A function is a recording: yaw in degrees by time, whatever is asked. */
  readonly turns?: 'as-asked' | 'wrong-way' | 'not-at-all' | ((tMs: number) => number);
  /** How far, degrees. Default 31. */
  readonly reachDeg?: number;
  /** Who has turned and is still asked to turn goes on, slowly, up to this. Default: nobody does. */
  readonly insistsToDeg?: number;
  /** Where they stand at first; 1 fills a third of the frame's width. Default 1.25. */
  readonly distance?: number;
  /** Hears «step back» and «come closer» and stays where they are. */
  readonly stays?: boolean;
  /** Somebody else who is there in the person's very place while the head is turned by more than this. */
  readonly swapped?: { readonly seed: number; readonly beyondDeg: number };
  /** A second person beside the first, from then on. */
  readonly companion?: { readonly seed: number; readonly fromMs: number };
}

export interface RenderedCameraOptions {
  readonly width?: number;
  readonly height?: number;
  readonly fps?: number;
  /** How long the camera runs. Default: longer than the window, so that the attempt and not the camera ends it. */
  readonly durationMs?: number;
  /** Another value, another person's way of moving and other noise. */
  readonly noiseSeed?: number;
}

const turnYawDeg = 31;
/** Where somebody stands at first, and how far back they go when asked; 1 fills a third of the frame's width. */
const distance = { first: 1.25, steppedBack: 1.7, closer: 1.4, perS: 0.6 };
/** Angular speed of somebody who turns the head without hurry. */
const yawSpeedDegPerS = 60;
const reactionMs = 300;
/** When somebody who is still asked to turn wonders whether it was far enough, and how fast they then go on. */
const insists = { afterMs: 1_500, degPerS: 20 };

/**
 * A camera before which a rendered visitor answers the prompts. Frames are rendered as they are asked for and time is
 * theirs (`recorded`), so that a slow machine sees the same attempt as a fast one.
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
        image: draw(visitor, { width, height }, sway(nowMs), stance, nowMs, noiseSeed * 1009 + i),
        timestampMs: nowMs,
      };
      // A frame takes time to render; let timers and the abort in between.
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

/** What the visitor was last asked to do. */
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

/** Does what was asked, a reaction later. */
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

/**
 * Frames that were drawn last, by all that they show: attempts of one person begin alike, and an empty chair stays as
 * it is.
 */
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
  nowMs: number,
  noiseSeed: number,
) {
  const { kind = 'live', companion, swapped } = visitor;
  const seed = swapped !== undefined && Math.abs(stance.yawDeg) > swapped.beyondDeg ? swapped.seed : visitor.seed;
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
      if (companion === undefined || nowMs < companion.fromMs) {
        const one = { ...frame, ...head };
        return drawnOnce('head', one, () => renderHead(one));
      }
      const beside = { seed: companion.seed, centreX: 0.78, distance: stance.distance, noiseSeed: noiseSeed + 1 };
      const two = { ...frame, heads: [{ ...head, centreX: 0.28 }, beside] };
      return drawnOnce('scene', two, () => renderScene(two));
    }
  }
}
