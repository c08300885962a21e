import { renderPrint } from './attacks/print.ts';
import { renderScreen } from './attacks/screen.ts';
import type { Motion } from './motion.ts';
import { Random } from './random.ts';
import type { RenderedImage } from './render/sensor.ts';
import { renderHead } from './scene.ts';
import type { FrameOptions, HeadOptions } from './types.ts';

export interface ClipOptions extends FrameOptions {
  /**
   * `live` a person; `print` a photo of the person that is turned as the motion says; `screen` a replay of the person's
   * motion. Default `live`.
   */
  readonly kind?: 'live' | 'print' | 'screen';
  readonly head: HeadOptions;
  readonly motion: Motion;
  readonly fps: number;
  readonly durationMs: number;
  /** Bend of a print in degrees of arc over its width. Default 0. */
  readonly bend?: number;
}

export type ClipFrame = RenderedImage & { readonly tMs: number };

/** Slow drift of a standing person or a holding hand, as shares of the frame. */
function drift(seed: number, amplitude: number): (tMs: number) => readonly [number, number] {
  const random = new Random(seed, 'drift');
  const [fx, fy, px, py] = [random.range(0.2, 0.5), random.range(0.2, 0.5), random.range(0, 6.3), random.range(0, 6.3)];
  return (tMs) => [
    amplitude * Math.sin((2 * Math.PI * tMs * fx) / 1000 + px),
    amplitude * Math.sin((2 * Math.PI * tMs * fy) / 1000 + py),
  ];
}

/**
 * Frames of a clip, rendered one by one as they are asked for; `tMs` runs from 0 in steps of 1000 / fps. Every frame
 * has noise of its own.
 *
 * @throws RangeError when fps or the duration is not positive, or the size is out of range
 */
export function* renderClip(options: ClipOptions): Generator<ClipFrame> {
  const { kind = 'live', head, motion, fps, durationMs } = options;
  if (!(fps > 0) || !(durationMs > 0)) throw new RangeError('fps and durationMs: above 0');
  const count = Math.max(1, Math.round((durationMs * fps) / 1000));
  const wander = drift(head.seed + (head.noiseSeed ?? 0), kind === 'live' ? 0.004 : 0.006);
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
    yield Object.assign(frameOf(kind, options, posed, dx, dy), { tMs });
  }
}

function frameOf(
  kind: 'live' | 'print' | 'screen',
  options: ClipOptions,
  posed: HeadOptions,
  dx: number,
  dy: number,
): RenderedImage {
  const { width, height, background, exposure, sharpening, softness } = options;
  const frame: FrameOptions = {
    width,
    height,
    ...(background === undefined ? {} : { background }),
    ...(exposure === undefined ? {} : { exposure }),
    ...(sharpening === undefined ? {} : { sharpening }),
    ...(softness === undefined ? {} : { softness }),
  };
  if (kind === 'live') return renderHead({ ...frame, ...posed });
  const held = { centreX: 0.5 + dx, centreY: 0.5 + dy };
  if (kind === 'screen') return renderScreen({ ...frame, ...held, head: posed, turnDeg: 60 * dx, tiltDeg: 60 * dy });
  return renderPrint({
    ...frame,
    ...held,
    head: { ...posed, yawDeg: 0, pitchDeg: 0, rollDeg: 0, expression: {}, centreX: 0.5, centreY: 0.5 },
    turnDeg: posed.yawDeg ?? 0,
    tiltDeg: -(posed.pitchDeg ?? 0),
    rollDeg: posed.rollDeg ?? 0,
    bend: options.bend ?? 0,
  });
}
