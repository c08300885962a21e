import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A face in a picture as training takes it; pixels of the file, two decimals. */
export interface SourceFace {
  /** Box that liveness crops are grown from: x, y, width, height; may reach beyond the picture. */
  readonly box: readonly [x: number, y: number, width: number, height: number];
  /** The 468 points of the mesh. */
  readonly landmarks: readonly (readonly [x: number, y: number])[];
  /** Positive to the person's own left. */
  readonly yawDeg: number;
  /** How many times the box fits into the picture. */
  readonly contextScale: number;
}

export interface SourcePicture extends SourceFace {
  /** From the folder's root. Several faces of one picture share it. */
  readonly file: string;
  readonly kind: 'rendered' | 'photo';
  readonly source: string;
  /** One a person as far as labels and recognition tell. Whoever is seen in one recording is in one part of the split. */
  readonly identity: string;
  /** What the picture was taken from: frames of one clip have one recording, and so one place and light. */
  readonly recording: string;
  readonly width: number;
  readonly height: number;
}

/** A picture without anybody. */
export interface SourceRoom {
  readonly file: string;
  readonly width: number;
  readonly height: number;
}

/** Faces that were not exported by source and reason; a picture without a face counts as one. */
export type Excluded = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface SourcesIndex {
  readonly pictures: readonly SourcePicture[];
  readonly rooms: readonly SourceRoom[];
  readonly excluded: Excluded;
}

/** Counts what was left out, by source and reason. */
export class Exclusions {
  readonly #counts = new Map<string, Map<string, number>>();

  add(source: string, reason: string, count = 1): void {
    const reasons = this.#counts.get(source) ?? new Map<string, number>();
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    this.#counts.set(source, reasons);
  }

  addAll(source: string, reasons: Readonly<Record<string, number>>): void {
    for (const [reason, count] of Object.entries(reasons)) this.add(source, reason, count);
  }

  /** By name, so that it does not matter what was counted first. */
  toJSON(): Excluded {
    const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sorted(this.#counts).map(([source, reasons]) => [source, Object.fromEntries(sorted(reasons))]),
    );
  }
}

/** Writes the index whole or not at all: whoever reads it meanwhile reads the one before. */
export async function writeIndex(folder: string, index: SourcesIndex): Promise<void> {
  const part = join(folder, 'index.json.part');
  await writeFile(part, `${JSON.stringify(index)}\n`);
  await rename(part, join(folder, 'index.json'));
}

/** A line a source: how much was exported, how much was not, and why. */
export function summaryOf({ pictures, rooms, excluded }: SourcesIndex): readonly string[] {
  const sources = [...new Set([...pictures.map(({ source }) => source), ...Object.keys(excluded)])].sort();
  const lines = sources.map((source) => {
    const own = pictures.filter((picture) => picture.source === source);
    const reasons = Object.entries(excluded[source] ?? {}).map(([reason, count]) => `${count} ${reason}`);
    const people = new Set(own.map(({ identity }) => identity)).size;
    const left = reasons.length === 0 ? 'none' : reasons.join(', ');
    return `${source}: ${own.length} faces of ${people} people exported; left out: ${left}`;
  });
  return [...lines, `rooms: ${rooms.length}`];
}
