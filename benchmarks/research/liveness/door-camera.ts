import type { Camera, LightColour } from '@svc/device-sdk';
import { restingLight } from '@svc/device-sdk/evaluation';
import {
  AutoCamera,
  type Display,
  displayLight,
  type LitScene,
  type Optics,
  type RenderedImage,
} from '@svc/synthetic-faces';
import { type Moment, renderedCamera, type Visitor } from '../../inputs/rendered-camera.ts';
import { candelaOf, whites } from '../light/trial.ts';

interface DoorOptions {
  /** Of the camera's colours and noise. */
  readonly seed: number;
  readonly optics: Optics;
  /** The screen beside the camera, and whether it lights the face in colours. */
  readonly display: Display;
  readonly isLit: boolean;
  readonly ambientLux: number;
  /** From asking for a colour to a frame that is lit by it. */
  readonly latencyMs: number;
  /** The scene before the camera, without its light. */
  readonly draw: (moment: Moment) => LitScene;
  readonly durationMs?: number;
}

const size = { width: 480, height: 360 } as const;
const fps = 10;
/**
 * A real camera at a door with a rendered visitor before it, or what the visitor holds up. The colours that the device
 * asks for light the scene in the frames that follow.
 */
export function doorCamera(visitor: Visitor, options: DoorOptions): Camera {
  const { seed, optics, display, isLit, ambientLux, latencyMs, draw, durationMs } = options;
  const camera = new AutoCamera({ seed, optics });
  const ambientColour = whites[seed % whites.length] ?? whites[3];
  const shown: { readonly atMs: number; readonly colour: LightColour | null }[] = [];
  let frames = 0;
  const film = (moment: Moment): RenderedImage => {
    const atMs = (frames * 1000) / fps;
    const asked = shown.findLast((one) => one.atMs <= atMs - latencyMs);
    const light = { ambientLux, ambientColour, screen: displayLight(display, asked?.colour ?? restingLight) } as const;
    const scene = draw(moment);
    if (frames === 0) camera.settle(scene, light);
    frames += 1;
    return camera.take(scene, light, atMs);
  };
  const filming = { ...size, fps, noiseSeed: seed, ...(durationMs === undefined ? {} : { durationMs }) };
  const show = (colour: LightColour | null): void => void shown.push({ atMs: ((frames - 1) * 1000) / fps, colour });
  return {
    ...renderedCamera({ ...visitor, kind: film }, filming),
    origin: 'device',
    ...(isLit ? { light: { show, candela: candelaOf(display) } } : {}),
  };
}
