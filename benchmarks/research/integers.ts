/** What the integer networks change: beside the float networks that they were made of, on every photo of the sets. */
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { type Box, type EngineImage, type FaceAnalysis, wipeAnalysis } from '@svc/face-engine';
import { addOnNames } from '@svc/face-models/node';
import { floatNetworks, type OpenEngine, openEngineOf } from '../inputs/engine.ts';
import { readPhoto } from '../inputs/read-photo.ts';
import { sharedData } from '../inputs/shared-data.ts';
import { quantile } from '../inputs/summary.ts';
import type { Evaluation } from './main.ts';
import { markdownTable } from './markdown.ts';
import { filesBelow } from './recognition/photo-sets.ts';

const faces = ['congress-portraits', 'whitehouse', 'compreface', 'interfaces', 'scikit-image', 'unsplash-proctoring'];
const folders = ['pairs/att-faces', ...faces.map((name) => `faces/${name}`), 'spoof', 'formats'];
/** Side of the mesh network's input, and of its square in widths of the face. */
const mesh = { side: 192, scale: 1.5 } as const;

/** How many did both, the floats alone, the integers alone. */
class Both {
  readonly counts: [both: number, floats: number, integers: number] = [0, 0, 0];

  add(floats: unknown, integers: unknown): void {
    const [a, b] = [floats ?? null, integers ?? null];
    if (a !== null || b !== null) this.counts[a === null ? 2 : b === null ? 1 : 0] += 1;
  }
}

const shiftOf = (a: Box, b: Box): number =>
  Math.hypot(a.x - b.x + (a.width - b.width) / 2, a.y - b.y + (a.height - b.height) / 2) / a.width;

/** Pixels of the mesh network's input. */
function worstLandmark(a: FaceAnalysis, b: FaceAnalysis): number {
  const at = ({ landmarks }: FaceAnalysis, i: number) => landmarks[i] ?? Number.NaN;
  const distances = Array.from({ length: a.landmarks.length / 3 }, (_, i) =>
    Math.hypot(at(a, 3 * i) - at(b, 3 * i), at(a, 3 * i + 1) - at(b, 3 * i + 1)),
  );
  return (Math.max(...distances) * mesh.side) / (mesh.scale * Math.max(a.box.width, a.box.height));
}

/** The worst, and what one in a hundred exceeds. */
const worst = (values: readonly number[], isLeast = false): string =>
  (isLeast ? [0, 0.01] : [1, 0.99]).map((share) => quantile(values, share).toFixed(4)).join(', ');

/** Differences over the photos of a set. */
class Differences {
  readonly #floats: OpenEngine;
  readonly #integers: OpenEngine;
  #photos = 0;
  readonly #found = new Both();
  readonly #confirmed = new Both();
  readonly #scored = new Both();
  readonly #landmarks: number[] = [];
  readonly #scores: number[] = [];
  readonly #cosines: readonly number[][];

  constructor(floats: OpenEngine, integers: OpenEngine) {
    [this.#floats, this.#integers] = [floats, integers];
    this.#cosines = floats.engine.recipes.map(() => []);
  }

  async add(photo: PixelImage): Promise<void> {
    const [floats, integers] = [this.#floats, this.#integers];
    const images = [floats.engine.open(photo), integers.engine.open(photo)] as const;
    const left = new Set(await integers.engine.detect(images[1]));
    for (const detection of await floats.engine.detect(images[0])) {
      const twin = [...left].find(({ box }) => shiftOf(detection.box, box) < 0.25);
      this.#found.add(detection, twin);
      if (twin === undefined) continue;
      left.delete(twin);
      const face = await floats.engine.analyse(images[0], detection);
      const other = await integers.engine.analyse(images[1], twin);
      this.#confirmed.add(face, other);
      if (face && other) await this.#compare(images, face, other);
      for (const analysis of [face, other]) if (analysis) wipeAnalysis(analysis);
    }
    for (const alone of left) this.#found.add(null, alone);
    for (const image of images) image.dispose();
    this.#photos += 1;
  }

  async #compare(images: readonly [EngineImage, EngineImage], face: FaceAnalysis, other: FaceAnalysis): Promise<void> {
    const [floats, integers] = [this.#floats, this.#integers];
    this.#landmarks.push(worstLandmark(face, other));
    const score = (await floats.passiveLiveness?.score(images[0], face)) ?? null;
    const successor = (await integers.passiveLiveness?.score(images[1], other)) ?? null;
    this.#scored.add(score, successor);
    if (score !== null && successor !== null) this.#scores.push(Math.abs(score - successor));
    for (const [i, recipe] of floats.engine.recipes.entries()) {
      const template = await floats.engine.embed(images[0], face, { engineId: recipe.engineId });
      const engineId = integers.engine.recipes[i]?.engineId ?? '';
      const own = await integers.engine.embed(images[1], other, { engineId });
      this.#cosines[i]?.push(floats.engine.core.cosine(template, own));
      for (const one of [template, own]) one.fill(0);
    }
  }

  row(): string[] {
    const counts = [this.#found, this.#confirmed, this.#scored].map(({ counts }) => counts.join(', '));
    const differences = [this.#landmarks, this.#scores].map((values) => worst(values));
    return [String(this.#photos), ...counts, ...differences, ...this.#cosines.map((values) => worst(values, true))];
  }
}

/** `sets` names folders of the shared data, `every` takes each nth photo. */
export const evaluation: Evaluation = {
  options: { sets: folders.join(), every: '1' },
  addOns: addOnNames,
  needsAddOns: true,
  async run(integers, { sets = '', every }) {
    const floats = await openEngineOf(await floatNetworks());
    const rows: string[][] = [];
    for (const folder of sets.split(',')) {
      const root = sharedData('data', folder) ?? '';
      const differences = new Differences(floats, integers);
      for (const file of (await filesBelow(root)).filter((_, i) => i % Number(every) === 0)) {
        const photo = await readPhoto(join(root, file)).catch(() => null);
        if (photo !== null) await differences.add(photo);
        photo?.data.fill(0);
      }
      rows.push([`\`${folder}\``, ...differences.row()]);
    }
    floats.close();
    const engines = integers.engine.recipes.map(({ engineId }) => `\`${engineId}\``);
    const head = ['', 'photos', 'found', 'confirmed', 'scored', 'landmarks', 'score', ...engines];
    const about =
      'Found, confirmed and scored: by both, by the floats alone, by the integers alone. Differences, of landmarks in pixels of 192, and cosines of a face’s two templates: the worst, and what one in a hundred exceeds.';
    return { markdown: `${about}\n\n${markdownTable([head, ...rows], true)}` };
  },
};
