import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLooksLive } from '@svc/api/testing';
import { identitySeed, renderHead, renderPrint, renderScreen } from '@svc/synthetic-faces';
import { decodePhoto } from '../../inputs/decode-photo.ts';
import { openEngine, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { livenessFrame } from '../synthetic/measure.ts';

/**
 * Measures what the photo check at enrolment (`photoCheck: "passive"`) refuses of otherwise acceptable photos.
 *
 * Usage: evaluate-photo-check.ts [portraits of each set = 200] [rendered people = 40]
 */
const each = Number(process.argv[2] ?? 200);
const people = Number(process.argv[3] ?? 40);

type Photo = Awaited<ReturnType<typeof decodePhoto>>;
interface PhotoSet {
  readonly name: string;
  readonly photos: readonly (() => Promise<Photo> | Photo)[];
}

function filesOf(name: string, ...path: readonly string[]): PhotoSet {
  const folder = sharedData('data', ...path);
  const files = folder === null ? [] : readdirSync(folder).filter((file) => /\.(jpe?g|png)$/i.test(file));
  const step = Math.max(1, Math.ceil(files.length / each));
  const photos = files.filter((_, i) => i % step === 0).map((file) => () => decodePhoto(join(folder ?? '', file)));
  return { name, photos };
}

function samples(name: string, paths: readonly string[]): PhotoSet {
  const folder = sharedData('data', 'spoof');
  const files = folder === null ? [] : paths.map((path) => join(folder, path)).filter((path) => existsSync(path));
  return { name, photos: files.map((path) => () => decodePhoto(path)) };
}

const rendered = (name: string, render: (seed: number) => Photo): PhotoSet => ({
  name,
  photos: Array.from({ length: people }, (_, i) => () => render(identitySeed(i * 5))),
});

const vietmoney = (...files: readonly string[]) => files.map((file) => `vietmoney/data/test/${file}`);
const sets: readonly PhotoSet[] = [
  filesOf('portraits that fill their picture (congress)', 'faces', 'congress-portraits', 'images'),
  filesOf('portraits of diverse people (interfaces)', 'faces', 'interfaces'),
  samples('people before a camera', [
    'minivision/images/sample/image_T1.jpg',
    ...vietmoney('true_001.jpg', 'true_002.jpg', 'true_003.png'),
  ]),
  samples('prints and screens before a camera', [
    'minivision/images/sample/image_F1.jpg',
    'minivision/images/sample/image_F2.jpg',
    ...vietmoney('fake_001.jpg', 'fake_002.jpg', 'fake_003.jpg'),
  ]),
  rendered('rendered people', (seed) => renderHead({ ...livenessFrame, seed })),
  rendered('rendered prints', (seed) => renderPrint({ ...livenessFrame, head: { seed } })),
  rendered('rendered screens', (seed) => renderScreen({ ...livenessFrame, head: { seed } })),
];

const addOn = await temporaryAddOn();
if (addOn === null) throw new Error('the passive check that photos are given to is not at hand');
const { engine, passiveLiveness, close } = await openEngine(withMiniFasNet(addOn.directory));
const looksLive = createLooksLive(engine, () => Promise.resolve(passiveLiveness));
console.log('| photos | enrol without the check | of those refused |\n| --- | --- | --- |');
for (const { name, photos } of sets) {
  if (photos.length === 0) {
    console.log(`| ${name} | skipped: no ../shared | |`);
    continue;
  }
  let enrolled = 0;
  let refused = 0;
  for (const open of photos) {
    const photo = await open();
    const result = await engine.enrol(photo);
    if (!result.ok) continue;
    enrolled += 1;
    if (!(await looksLive(photo, result.analysis))) refused += 1;
  }
  console.log(`| ${name} | ${enrolled} of ${photos.length} | ${refused} |`);
}
close();
await addOn.remove();
