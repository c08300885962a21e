import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Point } from '@svc/face-engine';

/** Labels of a photo. */
export interface LabelledPhoto {
  readonly file: string;
  /** Label of the one person in it; null if it shows several people or none. */
  readonly person: string | null;
  /** One per face, in pixels of the stored picture. */
  readonly noses: readonly Point[];
}

/** The labels of the CompreFace set: a header and rows `file,person,faces,noses`, noses as `x y;x y`. */
export async function readLabels(data: string): Promise<LabelledPhoto[]> {
  const [, ...rows] = (await readFile(join(data, photoSets.compreface.folder, 'labels.csv'), 'utf8'))
    .trim()
    .split('\n');
  return rows.map((row) => {
    const [file = '', person = '', , noses = ''] = row.split(',');
    const points = noses.split(';').filter((nose) => nose !== '');
    return {
      file,
      person: person === '' ? null : person,
      noses: points.map((nose) => {
        const [x = Number.NaN, y = Number.NaN] = nose.split(' ').map(Number);
        return { x, y };
      }),
    };
  });
}

/** A public set of pictures used by the report. */
export interface PhotoSet {
  /** Folder below the data folder. */
  readonly folder: string;
  readonly title: string;
  /** GitHub repository and commit of the files. */
  readonly origin: string;
  readonly licence: string;
}

export const photoSets = {
  congress: {
    folder: 'faces/congress-portraits',
    title: 'Official portraits of 879 members of the US Congress, 225×275',
    origin: 'Hainish/congress-images-225x275@20531e98',
    licence: 'public domain',
  },
  whitehouse: {
    folder: 'faces/whitehouse',
    title: 'Official photos: three of one president, and some of other people',
    origin: 'ageitgey/face_recognition@2e2dccea',
    licence: 'MIT; works of the US government',
  },
  compreface: {
    folder: 'faces/compreface',
    title: 'Photos of 0 to 8 faces, noses labelled. Two women recur: A in six photos, B in two',
    origin: 'exadel-inc/CompreFace@ddf32da8',
    licence: 'Apache-2.0',
  },
  att: {
    folder: 'pairs/att-faces',
    title: 'AT&T Laboratories Cambridge (Olivetti): 40 people, ten photos each, 92×112, grey',
    origin: 'ChiTatZhang/server_graduate@0493bc9a',
    licence: 'credit to Olivetti Research Laboratory',
  },
  scikitImage: {
    folder: 'faces/scikit-image',
    title: 'Test pictures: an astronaut, a distant man in profile, a cat, coffee, coins, the moon …',
    origin: 'scikit-image/scikit-image@cd0a3d22',
    licence: 'BSD-3-Clause, CC0, public domain',
  },
  formats: {
    folder: 'formats',
    title: 'Decoder test pictures: EXIF orientations, PngSuite, libpng, image-rs, sharp; no faces',
    origin:
      'recurser/exif-orientation-examples@219294e1, lunapaint/pngsuite@8cd768dd, pnggroup/libpng@d1d0abef, image-rs/image@2c5368b8, lovell/sharp@ea5bef24',
    licence: 'as in each repository',
  },
} as const satisfies Record<string, PhotoSet>;

export type PhotoSetName = keyof typeof photoSets;

/** Folders of photo sets that the data folder lacks. @param needed default: all of them */
export const missingSets = (
  data: string,
  needed: readonly PhotoSetName[] = Object.keys(photoSets) as PhotoSetName[],
): string[] => needed.map((name) => photoSets[name].folder).filter((folder) => !existsSync(join(data, folder)));

/** Every file below a folder, in name order, as paths relative to it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
