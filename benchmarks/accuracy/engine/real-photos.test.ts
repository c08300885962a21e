import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EnrolResult, FaceEngine } from '@svc/face-engine';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodePgm, decodePhoto } from '../../inputs/decode-photo.ts';
import { openEngine } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';

const data = sharedData('data');
if (data === null) console.log('skipped: no ../shared');

let engine: FaceEngine;

beforeAll(async () => {
  if (data === null) return;
  const node = await openEngine({ addOnDirectory: null });
  engine = node.engine;
  return node.close;
});

const folder = (...path: string[]): string => join(data ?? '', ...path);
const enrol = async (...path: string[]): Promise<EnrolResult> => engine.enrol(await decodePhoto(folder(...path)));
const filesOf = (...path: string[]): string[] => readdirSync(folder(...path)).sort();

async function referenceOf(...path: string[]): Promise<Float32Array> {
  const result = await enrol(...path);
  if (!result.ok) throw new Error(`refused: ${result.reason}`);
  return result.reference;
}

interface Label {
  readonly file: string;
  readonly faces: number;
  readonly noses: readonly (readonly [x: number, y: number])[];
}

function labels(): Label[] {
  return readFileSync(folder('faces', 'compreface', 'labels.csv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [file = '', , faces = '', noses = ''] = line.split(',');
      const pairs = noses.split(';').filter((nose) => nose !== '');
      return {
        file,
        faces: Number(faces),
        noses: pairs.map((nose) => {
          const [x = Number.NaN, y = Number.NaN] = nose.split(' ').map(Number);
          return [x, y] as const;
        }),
      };
    });
}

describe.skipIf(data === null)('labelled photos', () => {
  it('holds the labelled nose inside the face, or embeds nothing', async () => {
    const found: Record<string, string> = {};
    for (const { file, faces, noses } of labels()) {
      const path = folder('faces', 'compreface', 'labelled', file);
      const photo = await decodePhoto(path);
      const result = await engine.enrol(photo);
      found[file] = result.ok ? 'enrolled' : result.reason;
      if (!result.ok) continue;
      expect(faces).toBe(1);
      // The labels are in pixels of the stored image.
      const scale = photo.width / (await storedWidth(path));
      const [x, y] = noses[0] ?? [Number.NaN, Number.NaN];
      const { box } = result.analysis;
      expect(x * scale).toBeGreaterThan(box.x);
      expect(x * scale).toBeLessThan(box.x + box.width);
      expect(y * scale).toBeGreaterThan(box.y);
      expect(y * scale).toBeLessThan(box.y + box.height);
    }
    expect(found).toEqual({
      '000_5.jpg': 'several-faces',
      '001_A.jpg': 'enrolled',
      '002_A.jpg': 'enrolled',
      '003_A.jpg': 'enrolled',
      '004_A.jpg': 'enrolled',
      '005_A.jpg': 'enrolled',
      '006_A.jpg': 'enrolled',
      '007_B.jpg': 'enrolled',
      '008_B.jpg': 'face-too-small',
      '009_C.jpg': 'enrolled',
      '010_2.jpg': 'several-faces',
      '011_3.jpg': 'several-faces',
      '012_4.jpg': 'several-faces',
      '013_4.jpg': 'several-faces',
      '014_5.jpg': 'several-faces',
      '015_6.jpg': 'several-faces',
      '016_8.jpg': 'face-too-small',
      '017_0.jpg': 'no-face',
    });
  });

  async function storedWidth(path: string): Promise<number> {
    const { width, height, orientation = 1 } = await sharp(path).metadata();
    return orientation >= 5 ? height : width;
  }
});

describe.skipIf(data === null)('pictures without a face that can be enrolled', () => {
  it('embeds only the astronaut of scikit-image’s pictures', async () => {
    const enrolled = [];
    for (const file of filesOf('faces', 'scikit-image').filter((name) => /\.(png|jpg|gif)$/.test(name))) {
      const photo = await decodePhoto(folder('faces', 'scikit-image', file)).catch(() => null);
      if (photo !== null && (await engine.enrol(photo)).ok) enrolled.push(file);
    }
    expect(enrolled).toEqual(['astronaut.png']);
  });

  it('embeds nothing in sharp’s test pictures', async () => {
    const enrolled = [];
    // The large pictures belong to the decoding tests: here they would only take time.
    for (const file of filesOf('formats', 'sharp').filter(
      (name) => statSync(folder('formats', 'sharp', name)).size < 200_000,
    )) {
      const photo = await decodePhoto(folder('formats', 'sharp', file)).catch(() => null);
      if (photo !== null && (await engine.enrol(photo)).ok) enrolled.push(file);
    }
    expect(enrolled).toEqual([]);
  });

  it.each(['bruce-dixon-MofnqVlkrJY', 'ethan-johnson-IzUyV6BbfQw', 'jessica-wilson-nx3N6enkY_k'])(
    'refuses the crowd of %s',
    async (name) => {
      expect(await enrol('faces', 'unsplash-proctoring', `${name}-unsplash.jpg`)).toMatchObject({
        reason: 'several-faces',
      });
    },
  );

  it.each(['obama_partial_face.jpg', 'obama_partial_face2.jpg'])(
    'refuses a face that the frame cuts: %s',
    async (file) => {
      expect(await enrol('faces', 'whitehouse', 'tests', 'test_images', file)).toMatchObject({ reason: 'covered' });
    },
  );
});

describe.skipIf(data === null)('genuine and impostor pairs', () => {
  it('matches different photos of one person, and no two people', async () => {
    const house = ['faces', 'whitehouse', 'examples'];
    const labelled = ['faces', 'compreface', 'labelled'];
    const people: Record<string, string[][]> = {
      first: [
        [...house, 'obama.jpg'],
        [...house, 'obama2.jpg'],
        ['faces', 'whitehouse', 'tests', 'test_images', 'obama3.jpg'],
      ],
      second: [[...house, 'biden.jpg']],
      A: ['001', '002', '003', '004', '005', '006'].map((number) => [...labelled, `${number}_A.jpg`]),
      B: [[...labelled, '007_B.jpg']],
    };
    const samples: { readonly person: string; readonly reference: Float32Array }[] = [];
    for (const [person, photos] of Object.entries(people)) {
      for (const photo of photos) samples.push({ person, reference: await referenceOf(...photo) });
    }
    let genuine = 0;
    samples.forEach((left, i) => {
      for (const right of samples.slice(i + 1)) {
        const score = engine.core.cosine(left.reference, right.reference);
        if (left.person === right.person) {
          genuine++;
          expect(score).toBeGreaterThan(engine.matchThreshold);
        } else {
          expect(score).toBeLessThan(engine.matchThreshold);
        }
      }
    });
    expect(genuine).toBe(18);
  });

  it('enrols every twentieth official portrait, with no two alike', async () => {
    const portraits = filesOf('faces', 'congress-portraits', 'images').filter((_, i) => i % 20 === 0);
    const references: Float32Array[] = [];
    for (const file of portraits) references.push(await referenceOf('faces', 'congress-portraits', 'images', file));
    expect(references.length).toBeGreaterThan(40);
    references.forEach((left, i) => {
      for (const right of references.slice(i + 1))
        expect(engine.core.cosine(left, right)).toBeLessThan(engine.matchThreshold);
    });
  });

  it('enrols small, tightly cropped grey pictures', async () => {
    for (const person of ['s1', 's12', 's23', 's34']) {
      for (const file of ['2.pgm', '7.pgm']) {
        expect(await engine.enrol(decodePgm(readFileSync(folder('pairs', 'att-faces', person, file))))).toMatchObject({
          ok: true,
        });
      }
    }
  });
});
