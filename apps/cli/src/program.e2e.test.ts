import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { engineRecipes } from '@svc/face-models';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exitCodes } from './cli-error.ts';
import { clipFps, clipFrames, type RenderedPhotos, renderPhotos } from './testing/rendered-photos.ts';
import { runSvc, runSvcHere } from './testing/run-svc.ts';

const weights = fileURLToPath(new URL('../../../../shared/models/minifasnet', import.meta.url));
const hasWeights = existsSync(weights);
const builtIn = 'dlib-resnet-128-mirror/2';

let photos: RenderedPhotos;
const models = temporaryFolder();
/** A separate model folder, so that installed add-ons do not matter. */
const svc = (...args: string[]) => runSvcHere(args);

beforeAll(async () => {
  photos = await renderPhotos();
  vi.stubEnv('SVC_MODELS_DIR', models);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await photos.remove();
});

/** A failure is one line on standard error and nothing on standard output. */
function expectOneLine(run: Awaited<ReturnType<typeof svc>>, message: string): void {
  expect(run.stdout).toBe('');
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(run.stderr).toContain(message);
}

describe('a wrong command line', () => {
  it.each([
    [['fly'], 'unknown command'],
    [['compare', 'a.jpg'], 'missing required argument'],
    [['verify', '--fps', '0'], 'number above 0'],
    [['evaluate', '--pairs', 'a.csv', '--gallery', 'b'], 'cannot be used with'],
    [['evaluate'], 'needs --pairs, --gallery or --report'],
    [['evaluate', '--report', 'calibration'], 'needs --engine'],
    [
      ['evaluate', '--report', 'calibration', '--engine', builtIn, '--data', '/no/such'],
      'lacks faces/congress-portraits',
    ],
    [['evaluate', '--report', 'accuracy', '--engine', builtIn], 'leave --engine out'],
    [['models', 'add', 'resnet'], 'Allowed choices'],
    [['account', 'create', '--name', ''], '1 to 200 characters'],
    [['account', 'create', '--name', 'x', '--country', 'DE', '--currency', 'USD'], 'USD is not a currency of DE'],
    [['account', 'create', '--name', 'x', '--country', 'JP'], 'an account in JP needs a billing currency'],
    [['list', 'create', '--account', 'x', '--name', 'y'], 'exactly one of eventId and ongoing'],
    [['render', '--out', 'selfie.gif'], 'must end in .jpg or .png'],
    [['render', '--identity', '100000', '--out', 'selfie.jpg'], 'no such rendered person'],
    [['inspect', '/no/such/photo.jpg'], 'no such file'],
    [['liveness', '/no/such/folder'], 'cannot be read as a folder'],
    [['render', '--visit', '--out', join(import.meta.filename, 'visit')], 'cannot be written'],
    [
      ['visit', 'T-1', '--device-token', 'x', '--directory', '/no/such', '--frames', '/no/such'],
      'cannot be read as a folder',
    ],
  ])('%j ends in 2 with one line', async (args, message) => {
    const run = await svc(...args);
    expect(run.code).toBe(exitCodes.usage);
    expectOneLine(run, message);
  });

  it('exits with 2 in a shell', async () => {
    const run = await runSvc(['fly']);
    expect(run.code).toBe(exitCodes.usage);
    expectOneLine(run, 'unknown command');
  });

  it('shows help when asked', async () => {
    const run = await svc('--help');
    expect(run.code).toBe(0);
    for (const command of ['account', 'models', 'compare', 'evaluate', 'verify']) {
      expect(run.stdout).toContain(`  ${command} `);
    }
  });
});

describe('compare', () => {
  it('finds the same person in two photos', async () => {
    const run = await svc('compare', photos.person, photos.personAgain, '--json');
    expect(run.code).toBe(0);
    const { score, threshold, verdict } = JSON.parse(run.stdout);
    expect(verdict).toBe('same');
    expect(score).toBeGreaterThanOrEqual(threshold);
  });

  it('reports two people with exit code 1 and in words', async () => {
    const run = await svc('compare', photos.person, photos.other);
    expect(run.code).toBe(exitCodes.negative);
    expect(run.stdout).toMatch(/^score +0\.\d{4}\nthreshold +0\.\d{4}\nverdict +different\n$/);
  });

  it('reports which photo cannot be used, and why', async () => {
    const run = await svc('compare', photos.person, photos.two);
    expect(run.code).toBe(exitCodes.usage);
    expectOneLine(run, 'two.jpg: several-faces');
  });
});

describe('inspect', () => {
  it('describes the content of a photo', async () => {
    const run = await svc('inspect', photos.person, '--json');
    expect(run.code).toBe(0);
    const inspection = JSON.parse(run.stdout);
    expect(inspection).toMatchObject({ width: 480, height: 480, enrolment: { ok: true }, passiveLiveness: null });
    expect(inspection.faces).toHaveLength(1);
    expect(Math.abs(inspection.faces[0].pose.yawDeg)).toBeLessThan(10);
  });

  it('shows several faces and why they cannot be enrolled', async () => {
    const run = await svc('inspect', photos.two);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('faces      2');
    expect(run.stdout).toContain('refused: several-faces');
    expect(run.stdout).toContain('liveness   not installed (svc models add minifasnet)');
  });

  it('refuses a text file', async () => {
    const run = await svc('inspect', photos.text);
    expect(run.code).toBe(exitCodes.usage);
    expectOneLine(run, 'neither JPEG nor PNG. (image-invalid)');
  });
});

describe('evaluate', () => {
  it('measures a list of pairs, and names failures to enrol', async () => {
    const list = join(photos.folder, 'pairs.csv');
    const out = join(photos.folder, 'report.json');
    const rows = ['left,right,same', 'person.jpg,person-again.png,1', `person.jpg,${photos.other},0`];
    await writeFile(
      list,
      [...rows, 'other.jpg,nobody.jpg,1', 'text.jpg,other.jpg,0', 'two.jpg,other.jpg,0', ''].join('\n'),
    );
    const run = await svc('evaluate', '--pairs', list, '--out', out);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    const report = JSON.parse(await readFile(out, 'utf8'));
    expect(report).toMatchObject({
      kind: 'pairs',
      images: 6,
      pairs: { listed: 5, genuine: 2, impostor: 3, comparedGenuine: 1, comparedImpostor: 1 },
      auc: 1,
      eer: { eer: 0 },
      atShippedThreshold: {
        fmr: { errors: 0, trials: 1 },
        fnmr: { errors: 0, trials: 1 },
        generalisedFnmr: { errors: 1, trials: 2 },
      },
    });
    expect(report.atFmr['1e-3'].resolved).toBe(false);
    const failures = report.failuresToEnrol.map(({ file, reason }: { file: string; reason: string }) => [file, reason]);
    expect(failures).toEqual([
      ['nobody.jpg', 'no-face'],
      ['text.jpg', 'image-invalid'],
      ['two.jpg', 'several-faces'],
    ]);
    expect(run.stdout).toContain('1 of 2 genuine and 1 of 3 impostor pairs compared');
  });

  it('reports an invalid line of a list, and a missing photo', async () => {
    const list = join(photos.folder, 'wrong.csv');
    await writeFile(list, 'left,right,same\nperson.jpg,other.jpg,perhaps\n');
    expectOneLine(await svc('evaluate', '--pairs', list), 'wrong.csv:2: same must be 1, 0, true or false');
    await writeFile(list, 'left,right,same\nperson.jpg,missing.jpg,1\n');
    expectOneLine(await svc('evaluate', '--pairs', list), 'missing.jpg: no such file');
  });

  it('compares all pairs of a gallery', async () => {
    const run = await svc('evaluate', '--gallery', photos.gallery, '--fmr', '0.1');
    expect(run.code).toBe(0);
    const report = JSON.parse(run.stdout);
    expect(report).toMatchObject({ kind: 'gallery', images: 6, enrolled: 6, failuresToEnrol: [] });
    expect(report.split.odd).toMatchObject({ photos: 3, fmr: { errors: 0, trials: 3 } });
    expect(report.split.even).toMatchObject({ photos: 3, fmr: { trials: 3 } });
    expect(report.shipped.fmr).toMatchObject({ errors: 0, trials: 15 });
  });

  it.skipIf(!hasWeights)('says how to install the engine that calibration lacks', async () => {
    const [{ former, model }] = engineRecipes;
    const [{ engineId }] = former;
    const run = await svc('evaluate', '--report', 'calibration', '--engine', engineId);
    expect(run.code).toBe(exitCodes.environment);
    expectOneLine(run, `models add ${model}`);
  });
});

describe('verify', () => {
  const verify = (reference: string, direction: string, ...more: string[]) => {
    const frames = ['--frames', photos.clip, '--fps', String(clipFps)];
    return svc('verify', '--reference', reference, ...frames, '--direction', direction, ...more);
  };

  it('refuses to verify without passive liveness', async () => {
    const run = await verify(photos.person, 'left');
    expect(run.code).toBe(exitCodes.environment);
    expectOneLine(run, 'not installed');
  });

  it('matches the person who turns as asked', async () => {
    const run = await verify(photos.person, 'left', '--staff-in-view');
    expect(JSON.parse(run.stdout)).toMatchObject({
      outcome: 'Match',
      reason: 'verified',
      protections: { passive: 'absent-staff-in-view', active: 'head-turn' },
    });
    expect(run.code).toBe(0);
  });

  it('fails the challenge of a person who turns the other way', async () => {
    const run = await verify(photos.person, 'right', '--staff-in-view');
    expect(JSON.parse(run.stdout)).toMatchObject({ outcome: 'ChallengeFailed', reason: 'wrong-way' });
    expect(run.code).toBe(exitCodes.negative);
  });
});

describe('models and passive liveness', () => {
  it('lists the installed models, and refuses to judge liveness without one', async () => {
    const list = await svc('models', 'list');
    expect(list.stdout).toContain('face-embedding');
    expect(list.stdout).toMatch(/\nengine {2}\S+, mdl_\w+, threshold [.\d]+ \(former version of /);
    expect(list.stdout).toMatch(/\npassive liveness: \S/);
    expect(JSON.parse((await svc('models', 'list', '--json')).stdout).passiveLiveness).toBeNull();
    const run = await svc('liveness', photos.clip);
    expect(run.code).toBe(exitCodes.environment);
    expectOneLine(run, 'not installed');
  });

  it('refuses a folder without the upstream files', async () => {
    const run = await svc('models', 'add', 'minifasnet', '--from', photos.folder);
    expect(run.code).toBe(exitCodes.environment);
    expectOneLine(run, 'model-missing');
  });

  it.skipIf(!hasWeights)('installs the add-on, then scores frame after frame', async () => {
    const added = await svc('models', 'add', 'minifasnet', '--from', weights);
    expect(added.stdout).toBe('minifasnet-v2\nminifasnet-v1se\n');
    expect((await svc('models', 'list')).stdout).toMatch(/\npassive liveness: .*minifasnet/);
    const named = ['--passive-model', 'minifasnet'];
    const run = await svc('liveness', photos.clip, '--fps', String(clipFps), ...named);
    const lines = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(clipFrames + 1);
    expect(lines[9]).toMatchObject({ frame: 'frame9.jpg', timeMs: 900, faces: 1 });
    expect(lines[0].outward).toBeNull();
    const { clip } = lines.at(-1);
    expect(clip).toMatchObject({ frames: clipFrames, withFace: clipFrames });
    expect(run.code).toBe(clip.verdict === 'live' ? exitCodes.ok : exitCodes.negative);
    const inspected = await svc('inspect', join(photos.clip, 'frame0.jpg'), '--json', ...named);
    expect(JSON.parse(inspected.stdout).faces[0].passive).toBeCloseTo(lines[0].passive, 6);
  });

  if (!hasWeights) process.stdout.write('skipped: no ../shared (passive liveness)\n');
});
