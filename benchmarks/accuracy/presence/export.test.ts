import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstTrainedSeed, framesOf, ignoredFolder, miniFasNetGoldens, surroundingsOf } from './export-plan.ts';

let data: string;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'svc-presence-'));
});

afterAll(() => rmSync(data, { recursive: true }));

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

  it('is refused if git would see it, and not made', () => {
    expect(() => ignoredFolder(join(tree, 'deep', 'sources'))).toThrow(RangeError);
    expect(existsSync(join(tree, 'deep'))).toBe(false);
  });

  it('may be ignored by git, or outside of any work tree', () => {
    expect(existsSync(ignoredFolder(join(tree, 'ignored', 'sources')))).toBe(true);
    expect(existsSync(ignoredFolder(join(data, 'out', 'sources')))).toBe(true);
  });

  it('may not be a link into a work tree', () => {
    symlinkSync(tree, join(data, 'link'));
    expect(() => ignoredFolder(join(data, 'link', 'sources'))).toThrow(RangeError);
  });
});

describe('what is exported', () => {
  it('is a face with as much around it as a crop can show, in its file’s pixels', () => {
    const kept = surroundingsOf({ width: 4000, height: 3000 }, { x: 1000, y: 900, width: 240, height: 320 }, 120);
    expect(kept).toMatchObject({ left: 496, top: 228, width: 1248, height: 1664, fileWidth: 624, fileHeight: 832 });
    expect(kept.at(1000, 900)).toEqual([252, 336]);
    expect(kept.at(1240, 1220)).toEqual([372, 496]);
  });

  it('is limited to the picture, and not enlarged', () => {
    const kept = surroundingsOf({ width: 225, height: 275 }, { x: 50, y: 40, width: 110, height: 140 }, 120);
    expect(kept).toMatchObject({ left: 0, top: 0, width: 225, height: 275, fileWidth: 225, fileHeight: 275 });
    expect(kept.at(50, 40)).toEqual([50, 40]);
  });

  it('has the recorded results of MiniFASNet’s networks', () => {
    for (const { probabilities } of Object.values(miniFasNetGoldens())) {
      expect(probabilities).toHaveLength(3);
      expect(probabilities.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 5);
    }
  });

  it('draws separate frames for every person, the same each time', () => {
    const frames = framesOf(firstTrainedSeed);
    expect(framesOf(firstTrainedSeed)).toEqual(frames);
    expect(new Set(frames.map(({ options }) => options.background?.seed)).size).toBe(frames.length);
    expect(frames.map(({ options }) => [options.seed, options.noise])).toEqual(frames.map(() => [firstTrainedSeed, 0]));
  });
});
