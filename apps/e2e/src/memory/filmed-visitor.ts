import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Moment, renderedCamera, type Visitor } from '@svc/benchmarks/inputs/rendered-camera';
import type { Camera } from '@svc/device-sdk';
import { type RenderedImage, renderHead } from '@svc/synthetic-faces';

/** What stands before the camera is rendered once: attempts of one person after the other then cost inference alone. */
export class FilmedVisitor {
  readonly #frames = new Map<string, RenderedImage>();
  readonly #seed: number;
  readonly #folder: string | null;

  /** @param folder of one run, shared by its processes: frames that another one has rendered are read from there */
  constructor(seed: number, folder: string | null = null) {
    this.#seed = seed;
    this.#folder = folder;
    if (folder !== null) mkdirSync(folder, { recursive: true });
  }

  /** Different frames so far: no more of them once an attempt to either side has been filmed. */
  get frames(): number {
    return this.#frames.size;
  }

  /** What they take. */
  get bytes(): number {
    return [...this.#frames.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
  }

  /** The same person moving in the same way each time. */
  camera(fps: number, turns: Visitor['turns'] = 'as-asked'): Camera {
    const kind = (moment: Moment) => this.#frame(moment);
    return renderedCamera({ seed: this.#seed, distance: 1.7, turns, kind }, { fps });
  }

  #frame(moment: Moment): RenderedImage {
    const key = JSON.stringify(moment);
    const frame = this.#frames.get(key) ?? this.#developed(key, moment);
    this.#frames.set(key, frame);
    return frame;
  }

  #developed(key: string, moment: Moment): RenderedImage {
    if (this.#folder === null) return renderHead(moment);
    const path = join(this.#folder, createHash('sha256').update(key).digest('hex'));
    try {
      const data = new Uint8Array(readFileSync(path));
      return { data, width: moment.width, height: moment.height, channels: 4 };
    } catch {
      const frame = renderHead(moment);
      // Another process finds the whole frame or none.
      writeFileSync(`${path}.${process.pid}`, frame.data);
      renameSync(`${path}.${process.pid}`, path);
      return frame;
    }
  }
}
