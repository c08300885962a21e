import type { Camera } from '@svc/device-sdk';
import { type RenderedImage, renderHead } from '@svc/synthetic-faces';
import { type Moment, renderedCamera, type Visitor } from '../support/rendered-camera.ts';

/** What stands before the camera is rendered once: attempts of one person after the other then cost inference alone. */
export class FilmedVisitor {
  readonly #frames = new Map<string, RenderedImage>();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Frames rendered so far: no more of them once an attempt to either side has been filmed. */
  get frames(): number {
    return this.#frames.size;
  }

  /** The same person moving in the same way each time. */
  camera(fps: number, turns: Visitor['turns'] = 'as-asked'): Camera {
    const kind = (moment: Moment) => this.#frame(moment);
    return renderedCamera({ seed: this.#seed, distance: 1.7, turns, kind }, { fps });
  }

  #frame(moment: Moment): RenderedImage {
    const key = JSON.stringify(moment);
    const frame = this.#frames.get(key) ?? renderHead(moment);
    this.#frames.set(key, frame);
    return frame;
  }
}
