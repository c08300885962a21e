import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Moment, renderedCamera, type Visitor } from '@svc/benchmarks/inputs/rendered-camera';
import type { Camera } from '@svc/device-sdk';
import { type RenderedImage, renderHead } from '@svc/synthetic-faces';

/** Frames are rendered once, so that repeated attempts of one person cost inference only. */
export class FilmedVisitor {
  readonly #frames = new Map<string, RenderedImage>();
  readonly #seed: number;
  readonly #folder: string | null;

  /** @param folder shared by the processes of a run, for the frames they have rendered */
  constructor(seed: number, folder: string | null = null) {
    this.#seed = seed;
    this.#folder = folder;
    if (folder !== null) mkdirSync(folder, { recursive: true });
  }

  /** Number of different frames so far; constant once an attempt with each turn has been filmed. */
  get frames(): number {
    return this.#frames.size;
  }

  /** Their size in bytes. */
  get bytes(): number {
    return [...this.#frames.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
  }

  /** The same person with the same movement each time. */
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
      // Written so that another process sees a complete frame or none.
      writeFileSync(`${path}.${process.pid}`, frame.data);
      renameSync(`${path}.${process.pid}`, path);
      return frame;
    }
  }
}
