import { fork } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { renderScene } from '@svc/synthetic-faces';
import { encodePng } from '@svc/synthetic-faces/node';
import { sharedData } from '../support/shared-data.ts';
import { allowedSources } from './allowed-pictures.ts';
import type { ExportedPerson } from './export-people.ts';
import { exportPhotos } from './export-photos.ts';
import { ignoredFolder } from './ignored-folder.ts';
import { firstTrainedSeed, roomOf } from './people-plan.ts';
import {
  Exclusions,
  type SourcePicture,
  type SourceRoom,
  type SourcesIndex,
  summaryOf,
  writeIndex,
} from './sources-index.ts';

/**
 * What the passive-liveness model is trained from: rendered people, rooms without anybody, and the photographs that may be used, each face with its box and
 * landmarks as the device's own engine finds them. The same command writes the same bytes.
 *
 * The folder holds pictures of real people. It has to lie outside of git, or where git ignores it, and is nothing to keep or to hand on.
 *
 *     FOLDER/index.json            every face: file, source, identity, liveness box, landmarks, yaw, room around it; and what was left out, and why
 *     FOLDER/people/SEED-N.png     rendered people, 960 × 720, without noise
 *     FOLDER/rooms/NNNN.png        rooms
 *     FOLDER/photos/SOURCE/….png   photographs, at most 1280 pixels on the longer side
 *     FOLDER/DONE                  written last
 *
 * The index is there early, with the photographs, the rooms and some people, and replaced by the whole one at the end.
 *
 * Without the photographs, which lie in ../shared, it ends at once: what is trained on rendered people alone is another model, `--without-photographs`.
 *
 * Usage: export-sources.ts --out FOLDER [--people 500] [--rooms 150] [--workers 2] [--without-photographs]
 */
const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    people: { type: 'string', default: '500' },
    rooms: { type: 'string', default: '150' },
    /** Processes that draw people. */
    workers: { type: 'string', default: '2' },
    'without-photographs': { type: 'boolean', default: false },
  },
});
if (values.out === undefined) throw new RangeError('--out: the folder to write');
const counts = { people: countOf('people'), rooms: countOf('rooms'), workers: Math.max(1, countOf('workers')) };
const data = values['without-photographs'] ? null : sharedData('data');
if (data === null && !values['without-photographs'])
  throw new RangeError('the photographs lie in ../shared, which is not there (--without-photographs does without)');

/** @throws RangeError for what is no count */
function countOf(option: 'people' | 'rooms' | 'workers'): number {
  if (!/^\d{1,6}$/.test(values[option])) throw new RangeError(`--${option}: a whole number`);
  return Number(values[option]);
}

/** People who are in the early index. */
const earlyPeople = 100;

const folder = ignoredFolder(values.out);
for (const name of ['people', 'rooms', ...allowedSources.map((source) => `photos/${source.name}`)])
  await mkdir(join(folder, name), { recursive: true });
await rm(join(folder, 'DONE'), { force: true });

const exclusions = new Exclusions();

async function exportRooms(count: number): Promise<readonly SourceRoom[]> {
  const rooms: SourceRoom[] = [];
  for (let index = 1; index <= count; index++) {
    const { file, options } = roomOf(index);
    await writeFile(join(folder, file), await encodePng(renderScene({ ...options, heads: [] })));
    rooms.push({ file, width: options.width, height: options.height });
  }
  return rooms;
}

async function photographs(): Promise<readonly SourcePicture[]> {
  if (data === null) return [];
  const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });
  try {
    return await exportPhotos(engine, data, folder, exclusions);
  } finally {
    engine.dispose();
    runtime.dispose();
  }
}

/** Has people drawn by a process of their own, which is done or has failed when it is settled. */
function drawPeople(seeds: readonly number[], onPerson: (person: ExportedPerson) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('export-people.ts', import.meta.url)), [folder, ...seeds.map(String)]);
    child.on('message', (message) => onPerson(message as ExportedPerson));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`drawing people ended with ${code}`))));
  });
}

const rooms = await exportRooms(counts.rooms);
const photos = await photographs();
const people = new Map<number, ExportedPerson>();
const seeds = Array.from({ length: counts.people }, (_, i) => firstTrainedSeed + i);

function indexOf(some: readonly number[]): SourcesIndex {
  const drawn = some.flatMap((seed) => people.get(seed) ?? []);
  const all = new Exclusions();
  for (const [source, reasons] of Object.entries(exclusions.toJSON())) all.addAll(source, reasons);
  for (const { excluded } of drawn) for (const reasons of excluded) all.addAll('rendered', reasons);
  return { pictures: [...photos, ...drawn.flatMap(({ pictures }) => pictures)], rooms, excluded: all.toJSON() };
}

const early = seeds.slice(0, earlyPeople);
/** Of the early index, once it is written. */
const written: Promise<void>[] = [];
await writeIndex(folder, indexOf([]));
await Promise.all(
  Array.from({ length: counts.workers }, (_, worker) =>
    drawPeople(
      seeds.filter((_, i) => i % counts.workers === worker),
      (person) => {
        people.set(person.seed, person);
        if (written.length === 0 && early.every((seed) => people.has(seed)))
          written.push(writeIndex(folder, indexOf(early)));
      },
    ),
  ),
);
await Promise.all(written);
const index = indexOf(seeds);
await writeIndex(folder, index);
await writeFile(join(folder, 'DONE'), '');
for (const line of summaryOf(index)) console.log(line);
