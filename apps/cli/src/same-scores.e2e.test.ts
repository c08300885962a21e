import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPhoto } from '@svc/benchmarks/inputs/read-photo';
import { webClock, webTimers } from '@svc/device-sdk/adapters';
import { runAttempt, type WatchedFrame, watchLiveness } from '@svc/device-sdk/evaluation';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { installAddOn } from '@svc/face-models/node';
import { encodeJpeg, headTurn, identitySeed, renderClip, renderHead } from '@svc/synthetic-faces/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runSvcHere } from './testing/run-svc.ts';

const weights = fileURLToPath(new URL('../../../../shared/models/minifasnet', import.meta.url));
const hasWeights = existsSync(weights);
if (!hasWeights) process.stdout.write('skipped: no ../shared (scores of the command line and of the SDK)\n');

/** The whole attempt, or its first frames: enough for an estimate, a first comparison and a verdict. */
const isWhole = process.env.SVC_TEST_SCORES_ALL === '1';
if (!isWhole) process.stdout.write('scores of a whole attempt: only with SVC_TEST_SCORES_ALL=1\n');

const passiveModel = 'minifasnet';
const fps = 10;
const [frameCount, verdict] = isWhole
  ? [26, { outcome: 'Match', reason: 'verified' }]
  : [8, { outcome: 'ChallengeFailed', reason: 'turn-not-made' }];
const head = { seed: identitySeed(0), distance: 1.6 };
const motion = headTurn('left', { frontalMs: 600, turnMs: 600, holdMs: 200, returnMs: 500, maxYawDeg: 34 });

/** The command line's output for a frame, computed from the SDK's results. */
const lineOf = ({ timestampMs: timeMs, faces, box: face, yawDeg, passive, outward }: WatchedFrame) => ({
  frame: `frame${Math.round((timeMs * fps) / 1000)}.jpg`,
  timeMs,
  faces,
  face,
  yawDeg,
  passive,
  outward,
});
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.skipIf(!hasWeights)('svc liveness and svc verify', () => {
  let folder: string;
  let clip: string;
  let person: string;
  const svc = (...args: string[]) => runSvcHere([...args, '--fps', String(fps), '--passive-model', passiveModel]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-scores-'));
    vi.stubEnv('SVC_MODELS_DIR', join(folder, 'models'));
    clip = join(folder, 'clip');
    person = join(folder, 'person.jpg');
    await mkdir(clip);
    await installAddOn('minifasnet', { from: weights, addOnDirectory: join(folder, 'models') });
    await writeFile(person, await encodeJpeg(renderHead({ ...head, distance: 1, width: 480, height: 480 })));
    let index = 0;
    for (const frame of renderClip({ head, motion, fps, durationMs: frameCount * 100, width: 640, height: 480 })) {
      await writeFile(join(clip, `frame${index++}.jpg`), await encodeJpeg(frame));
    }
  }, 300_000);
  afterAll(() => {
    vi.unstubAllEnvs();
    return rm(folder, { recursive: true, force: true });
  });

  /** The same frames through the SDK directly: one by one, and in an attempt. */
  async function throughSdk() {
    const node = await createNodeFaceEngine({ addOnDirectory: join(folder, 'models'), passiveModel });
    const { engine, passiveLiveness, runtime } = node;
    if (passiveLiveness === null) throw new Error('the add-on is not there');
    async function* frames() {
      for (let i = 0; i < frameCount; i++) {
        yield { image: await readPhoto(join(clip, `frame${i}.jpg`)), timestampMs: (i * 1000) / fps };
      }
    }
    try {
      const watched = [];
      for await (const seen of watchLiveness({ engine, passiveLiveness, frames: frames() })) watched.push(lineOf(seen));
      const enrolled = await engine.enrol(await readPhoto(person));
      if (!enrolled.ok) throw new Error('the person is not enrolled');
      const attempted: ReturnType<typeof lineOf>[] = [];
      const { verdict } = await runAttempt({
        engine,
        passiveLiveness,
        reference: enrolled.reference,
        engineId: engine.engineId,
        matchThreshold: engine.matchThreshold,
        direction: 'left',
        camera: { timing: 'recorded', prompt: () => undefined, frames },
        clock: webClock,
        timers: webTimers,
        onFrame: (seen) => attempted.push(lineOf(seen)),
      });
      return { watched, attempted, verdict };
    } finally {
      passiveLiveness.dispose();
      engine.dispose();
      runtime.dispose();
    }
  }

  it("give bit for bit the SDK's scores", { timeout: 300_000 }, async () => {
    const inSdk = await throughSdk();
    expect(inSdk.watched).toHaveLength(frameCount);
    expect(inSdk.verdict).toEqual(verdict);

    const liveness = linesOf((await svc('liveness', clip)).stdout);
    expect(liveness.slice(0, -1)).toEqual(inSdk.watched);
    expect(liveness.at(-1).clip.calibration).toBe('minifasnet-fused/3');

    const run = await svc('verify', '--reference', person, '--frames', clip, '--direction', 'left', '--trace');
    const [, trace = '', result = ''] = /^((?:\{".*\}\n)+)(\{\n[\s\S]*)$/.exec(run.stdout) ?? [];
    expect(linesOf(trace)).toEqual(inSdk.attempted);
    expect(inSdk.attempted).toEqual(inSdk.watched.slice(0, inSdk.attempted.length));
    expect(JSON.parse(result)).toMatchObject({
      ...inSdk.verdict,
      protections: { passive: 'minifasnet', passiveCalibration: 'minifasnet-fused/3', active: 'head-turn' },
      counts: { framesAnalysed: inSdk.attempted.length },
    });
    expect(inSdk.attempted.filter(({ outward }) => outward !== null).length).toBeGreaterThanOrEqual(isWhole ? 11 : 3);
  });
});
