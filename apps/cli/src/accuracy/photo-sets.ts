import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Point } from '@svc/face-engine';
import { parse } from 'csv-parse/sync';
import { CliError } from '../cli-error.ts';

/** Labels of a photo. */
export interface LabelledPhoto {
  readonly file: string;
  /** Label of the one person in it; null if it shows several people or none. */
  readonly person: string | null;
  /** One per face, in pixels of the stored picture. */
  readonly noses: readonly Point[];
}

/** Reads `file,person,faces,noses`, noses as `x y;x y`. */
export async function readLabels(csv: string): Promise<LabelledPhoto[]> {
  const rows: Record<string, string>[] = parse(await readFile(csv, 'utf8'), { columns: true });
  return rows.map(({ file = '', person = '', noses = '' }) => ({
    file,
    person: person === '' ? null : person,
    noses: noses.split(';').flatMap((text) => {
      const [x, y] = text.split(' ').map(Number);
      return text !== '' && x !== undefined && y !== undefined ? [{ x, y }] : [];
    }),
  }));
}

/** A sentence, and whether the figures support it. */
export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
  readonly measured: string;
}

/** A part of the report. */
export interface Section {
  readonly claims: readonly Claim[];
  /** Markdown below a heading of its own. */
  readonly markdown: string;
}

/** A public set of pictures used by the report. */
export interface PhotoSet {
  /** Folder below the data folder. */
  readonly folder: string;
  readonly title: string;
  /** Repository and commit of the files. */
  readonly origin: string;
  readonly licence: string;
}

export const photoSets = {
  congress: {
    folder: 'faces/congress-portraits',
    title: 'Official portraits of 879 members of the US Congress, 225×275, one a person',
    origin: 'github.com/Hainish/congress-images-225x275@20531e98',
    licence: 'public domain',
  },
  whitehouse: {
    folder: 'faces/whitehouse',
    title: 'Official photos of one president, three of them different, and of others',
    origin: 'github.com/ageitgey/face_recognition@2e2dccea',
    licence: 'MIT; works of the US government',
  },
  compreface: {
    folder: 'faces/compreface',
    title:
      'Labelled photos with 0 to 8 faces and the position of every nose; A: one woman in six photos, B: another in two',
    origin: 'github.com/exadel-inc/CompreFace@ddf32da8',
    licence: 'Apache-2.0',
  },
  att: {
    folder: 'pairs/att-faces',
    title: 'AT&T Laboratories Cambridge (Olivetti) faces: 40 people in ten photos each, 92×112, grey',
    origin: 'github.com/ChiTatZhang/server_graduate@0493bc9a',
    licence: 'credit to Olivetti Research Laboratory',
  },
  scikitImage: {
    folder: 'faces/scikit-image',
    title: 'Test pictures of scikit-image: an astronaut, a man in profile far away, a cat, coffee, coins, the moon …',
    origin: 'github.com/scikit-image/scikit-image@cd0a3d22',
    licence: 'BSD-3-Clause, CC0, public domain',
  },
  formats: {
    folder: 'formats',
    title:
      'Test pictures of image decoders: EXIF orientations, PngSuite, and those of libpng, image-rs and sharp; no faces',
    origin:
      'recurser/exif-orientation-examples@219294e1, lunapaint/pngsuite@8cd768dd, pnggroup/libpng@d1d0abef, image-rs/image@2c5368b8, lovell/sharp@ea5bef24 (github.com)',
    licence: 'as in each repository',
  },
} as const satisfies Record<string, PhotoSet>;

function repositoryRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder;
  }
  return process.cwd();
}

export type PhotoSetName = keyof typeof photoSets;

/**
 * The folder of the photo sets.
 * @param needed default: all of them
 * @throws CliError naming the missing sets
 */
export function requireData(
  asked: string | undefined,
  needed: readonly PhotoSetName[] = Object.keys(photoSets) as PhotoSetName[],
): string {
  const data = asked ?? join(repositoryRoot(), '..', 'shared', 'data');
  const missing = needed.map((name) => photoSets[name]).filter(({ folder }) => !existsSync(join(data, folder)));
  if (missing.length > 0) {
    throw new CliError(
      `${data}: lacks ${missing.map(({ folder }) => folder).join(', ')}; name the photo sets with --data`,
    );
  }
  return data;
}

/** Every file below a folder, in name order, as paths relative to it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
