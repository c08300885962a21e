import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLooksLive } from '@svc/api/testing';
import type { PixelImage } from '@svc/core';
import { identitySeed, renderHead, renderPrint, renderScreen } from '@svc/synthetic-faces';
import { readPhoto } from '../../inputs/read-photo.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import type { Evaluation } from '../main.ts';
import { markdownTable } from '../markdown.ts';
import { livenessFrame } from '../synthetic/identities.ts';

interface PhotoSet {
  readonly name: string;
  readonly photos: readonly (() => Promise<PixelImage> | PixelImage)[];
}

/** About `most` photos of a folder, evenly spread. */
function filesOf(name: string, most: number, ...path: readonly string[]): PhotoSet {
  const folder = sharedData('data', 'faces', ...path);
  const files = folder === null ? [] : readdirSync(folder).filter((file) => /\.(jpe?g|png)$/i.test(file));
  const step = Math.max(1, Math.ceil(files.length / most));
  const photos = files.filter((_, i) => i % step === 0).map((file) => () => readPhoto(join(folder ?? '', file)));
  return { name, photos };
}

function samples(name: string, minivision: readonly string[], vietmoney: readonly string[]): PhotoSet {
  const files = [
    ...minivision.map((file) => `minivision/images/sample/${file}`),
    ...vietmoney.map((file) => `vietmoney/data/test/${file}`),
  ].map((file) => join(sharedData('data', 'spoof') ?? '', file));
  return { name, photos: files.filter((path) => existsSync(path)).map((path) => () => readPhoto(path)) };
}

const rendered = (name: string, people: number, render: (seed: number) => PixelImage): PhotoSet => ({
  name,
  photos: Array.from({ length: people }, (_, i) => () => render(identitySeed(i * 5))),
});

const photoSets = (portraits: number, people: number): readonly PhotoSet[] => [
  filesOf('portraits that fill their picture (congress)', portraits, 'congress-portraits', 'images'),
  filesOf('portraits of diverse people (interfaces)', portraits, 'interfaces'),
  samples('people before a camera', ['image_T1.jpg'], ['true_001.jpg', 'true_002.jpg', 'true_003.png']),
  samples(
    'prints and screens before a camera',
    ['image_F1.jpg', 'image_F2.jpg'],
    ['fake_001.jpg', 'fake_002.jpg', 'fake_003.jpg'],
  ),
  rendered('rendered people', people, (seed) => renderHead({ ...livenessFrame, seed })),
  rendered('rendered prints', people, (seed) => renderPrint({ ...livenessFrame, head: { seed } })),
  rendered('rendered screens', people, (seed) => renderScreen({ ...livenessFrame, head: { seed } })),
];

/** What the photo check at enrolment (`photoCheck: "passive"`) refuses of otherwise acceptable photos. */
export const evaluation: Evaluation = {
  options: { portraits: '200', people: '40' },
  addOns: ['minifasnet'],
  needsAddOns: true,
  async run({ engine, passiveLiveness }, options) {
    const looksLive = createLooksLive(engine, () => Promise.resolve(passiveLiveness));
    const rows: string[][] = [];
    for (const { name, photos } of photoSets(Number(options.portraits), Number(options.people))) {
      let [enrolled, refused] = [0, 0];
      for (const open of photos) {
        const photo = await open();
        const result = await engine.enrol(photo);
        if (!result.ok) continue;
        enrolled += 1;
        if (!(await looksLive(photo, result.analysis))) refused += 1;
      }
      const isMissing = photos.length === 0;
      rows.push(
        isMissing ? [name, 'skipped: no ../shared', ''] : [name, `${enrolled} of ${photos.length}`, `${refused}`],
      );
    }
    return { markdown: markdownTable([['photos', 'enrol without the check', 'of those refused'], ...rows]) };
  },
};
