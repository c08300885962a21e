import { describe, expect, it, vi } from 'vitest';
import { answer, createHarness, readyDevice, readyHarness, recorded, visit } from './testing/device-harness.ts';
import { frameOf, type Head, type Scene, templateOf } from './testing/fake-engine.ts';
import { token } from './testing/fake-service.ts';

describe('create', () => {
  it.each([
    ['a token that is none', { deviceToken: 'svcd_nonsense' }],
    ['an API key', { deviceToken: token(1).replace('svcd', 'svck') }],
    ['a limit of nothing', { maxSyncBytes: 0 }],
    ['a limit that is none', { maxSyncBytes: Number.POSITIVE_INFINITY }],
    ['a timeout that timers take for none', { syncTimeoutMs: 2 ** 31 }],
    ['a light challenge that there is not', { lightChallenge: 'on' as never }],
  ])('refuses %s', async (_what, over) => {
    await expect(createHarness().create(over)).rejects.toMatchObject({ code: 'configuration-invalid' });
  });

  it.each([[undefined], [null], [{}]])('refuses to run without passive liveness (%s)', async (passive) => {
    const over = { passiveLiveness: passive as never };
    await expect(createHarness().create(over)).rejects.toMatchObject({ code: 'passive-liveness-missing' });
  });

  it('refuses a passive model without calibration', async () => {
    const harness = createHarness();
    const over = { passiveLiveness: { ...harness.engine.passive, name: 'another' as never } };
    await expect(harness.create(over)).rejects.toMatchObject({ code: 'configuration-invalid' });
  });
});

describe('a visit', () => {
  it.each(['left', 'right'] as const)('of the right person, turning %s as asked, is a Match', async (direction) => {
    const { harness, device } = await readyHarness();
    harness.direction = direction;
    const camera = recorded(visit(1, direction));
    const result = await device.verifyLiveAsync('ticket-1', camera);
    expect(result).toMatchObject({
      outcome: 'Match',
      reason: 'verified',
      protections: {
        passive: 'minifasnet',
        passiveCalibration: 'minifasnet-fused/4',
        active: 'head-turn',
        light: 'off',
      },
    });
    expect(result.timings).toMatchObject({ cameraStartMs: 0, frontalMs: 400 });
    expect(camera.prompts.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']),
    );
    expect(camera.prompts.find(({ key }) => key === 'turn-head')?.direction).toBe(direction);
  });

  it('embeds a few times and runs the detector about twice a second, not at each frame', async () => {
    const { harness, device } = await readyHarness();
    const { counts } = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
    // In front, on the way to the side, at the completed turn, on the way back, in front again.
    expect(counts.embeddings).toBe(5);
    expect(counts.framesAnalysed).toBeGreaterThan(15);
    expect(counts.detections).toBeLessThanOrEqual(Math.ceil(counts.framesAnalysed / 5) + 1);
    expect(harness.engine.calls.detect).toBe(counts.detections);
  });

  it.each<[string, readonly (Head | Scene)[], string]>([
    ['another person', visit(2, 'left'), 'NoMatch/below-threshold'],
    ['the wrong way', visit(1, 'right'), 'ChallengeFailed/wrong-way'],
    [
      'a print bent round a face',
      visit(1, 'left').map((head) => ({ ...head, aspect: Math.abs(head.yawDeg ?? 0) > 20 ? 0.6 : 0.8 })),
      'ChallengeFailed/narrowed',
    ],
    ['a flat print', visit(1, 'left', { parallax: 0.02 }), 'ChallengeFailed/no-parallax'],
    ['a print that the passive check knows', visit(1, 'left', { live: 0.02 }), 'LivenessFailed/attack-frame'],
    ['frames that can’t be scored', visit(1, 'left', { live: null }), 'LivenessFailed/never-scorable'],
    [
      'another face elsewhere in the turn',
      [...visit(1, 'left').slice(0, 12), ...visit(2, 'left', { x: 20 }).slice(12)],
      'ChallengeFailed/face-swapped',
    ],
    [
      'a face that leaves in the turn',
      [...visit(1, 'left').slice(0, 12), { heads: [] }, ...visit(1, 'left').slice(12)],
      'ChallengeFailed/face-lost',
    ],
    ['an engine that breaks', [{ heads: [], fails: true }], 'NoFace/engine-failed'],
    ['no frame at all', [], 'NoFace/no-frames'],
    [
      'two people all the time',
      Array.from({ length: 40 }, () => ({ heads: [{ who: 1 }, { who: 2, x: 450 }] })),
      'NoMatch/several-faces',
    ],
  ])('of %s', async (_what, scenes, expected) => {
    const { device } = await readyHarness();
    const camera = recorded(scenes);
    expect(await answer(device, 'ticket-1', camera)).toBe(expected);
    expect(camera.prompts.at(-1)?.key).toBe('finished');
  });

  it('ignores a poster or a distant queue behind the person', async () => {
    const { device } = await readyHarness();
    const poster: Head = { who: 2, x: 500, width: 60 };
    const scenes = visit(1, 'left').map((head) => ({ heads: [head, poster] }));
    const camera = recorded(scenes);
    expect(await device.verifyLiveAsync('ticket-1', camera)).toMatchObject({ outcome: 'Match' });
    expect(camera.prompts.map(({ key }) => key)).not.toContain('one-person-only');
  });

  it('reports in every result that no passive check ran', async () => {
    const harness = createHarness();
    harness.service.enrol('ticket-1', templateOf(1));
    const device = await harness.create({ passiveLiveness: 'absent-staff-in-view' });
    const before = await device.verifyLiveAsync('ticket-1', recorded([]));
    await device.syncAsync();
    const matched = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left', { live: null })));
    expect(before).toMatchObject({ outcome: 'LeaseExpired', protections: { passive: 'absent-staff-in-view' } });
    expect(matched).toMatchObject({ outcome: 'Match', protections: { passive: 'absent-staff-in-view' } });
    expect(device.status().protections.passive).toBe('absent-staff-in-view');
  });

  it('contains only outcome, admission, protections, times and counts', async () => {
    const { device } = await readyHarness();
    const result = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
    expect(Object.keys(result).sort()).toEqual(['admission', 'counts', 'outcome', 'protections', 'reason', 'timings']);
    for (const value of [...Object.values(result.timings), ...Object.values(result.counts)]) {
      expect(value === null || Number.isInteger(value)).toBe(true);
    }
    expect(JSON.stringify(result)).not.toContain('ticket-1');
  });
});

describe('the door', () => {
  it.each([
    ['an unknown ID', 'ticket-9', 'not-on-list'],
    ['an ID with a NUL', 'a\0b', 'id-invalid'],
    ['no string', 17 as unknown as string, 'id-invalid'],
  ])('answers NotEnrolled for %s, without starting the camera', async (_what, scannedId, reason) => {
    const { device } = await readyHarness();
    const camera = { frames: () => expect.unreachable(), prompt: () => expect.unreachable() };
    const result = await device.verifyLiveAsync(scannedId, camera);
    expect(result).toMatchObject({ outcome: 'NotEnrolled', reason });
  });

  it('allows one attempt at a time', async () => {
    const { device } = await readyHarness();
    const [first, second] = await Promise.all([
      device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left'))),
      device.verifyLiveAsync('ticket-2', recorded(visit(2, 'left'))),
    ]);
    expect(first).toMatchObject({ outcome: 'Match' });
    expect(second).toMatchObject({ outcome: 'NoFace', reason: 'attempt-in-progress' });
    const third = await device.verifyLiveAsync('ticket-2', recorded(visit(2, 'left')));
    expect(third).toMatchObject({ outcome: 'Match' });
  });

  it.each([
    ['denied', Object.assign(new Error('no'), { name: 'NotAllowedError' }), 'camera-denied'],
    ['broken', new Error('unplugged'), 'camera-failed'],
  ])('answers NoFace when the camera is %s', async (_what, error, reason) => {
    const { device } = await readyHarness();
    const prompt = () => undefined;
    const late = {
      async *frames() {
        yield frameOf({ heads: [] }, 0);
        throw error;
      },
      prompt,
    };
    const early = {
      frames: () => {
        throw error;
      },
      prompt,
    };
    expect(await device.verifyLiveAsync('ticket-1', early)).toMatchObject({ outcome: 'NoFace', reason });
    expect(await device.verifyLiveAsync('ticket-1', late)).toMatchObject({ outcome: 'NoFace', reason });
  });

  it.each([
    ['after a frame', [frameOf({ heads: [{ who: 1 }] }, 0)], 'LivenessFailed/too-few-scored-frames'],
    ['before its first frame', [], 'NoFace/no-frames'],
  ])('does not wait for a camera that hangs %s', async (_when, given, expected) => {
    const { harness, device } = await readyHarness();
    let started = false;
    const frames = async function* () {
      yield* given;
      started = true;
      await new Promise(() => undefined);
    };
    const pending = answer(device, 'ticket-1', { frames, prompt: () => undefined });
    await vi.waitFor(() => expect(started).toBe(true), 30_000);
    await harness.time.advance(10_100);
    expect(await pending).toBe(expected);
  });

  it.each([
    ['looks at', 4_000, 'LivenessFailed/too-few-scored-frames'],
    ['is not done with', 11_000, 'NoFace/no-face'],
  ])('counts the ten seconds from the first frame, which a cold engine %s late', async (_what, ms, expected) => {
    const harness = createHarness();
    const { timers } = harness.time;
    const later = (delayMs: number) => new Promise<void>((resolve) => void timers.after(delayMs, resolve));
    let cold = true;
    const engine: typeof harness.engine = {
      ...harness.engine,
      detect: async (image) => {
        if (cold) await later(ms);
        cold = false;
        return harness.engine.detect(image);
      },
    };
    const device = await readyDevice(harness, { engine });
    let answered = '';
    let started = false;
    const frames = async function* () {
      started = true;
      await later(7_000);
      yield frameOf({ heads: [{ who: 1 }] }, 0);
      await new Promise(() => undefined);
    };
    const pending = answer(device, 'ticket-1', { frames, prompt: () => undefined }).then((result) => {
      answered = result;
    });
    // The checks before the camera take some promise turns but no time.
    await vi.waitFor(() => expect(started).toBe(true), 30_000);
    await harness.time.advance(16_900);
    expect(answered).toBe('');
    await harness.time.advance(1_200);
    await pending;
    expect(answered).toBe(expected);
  });

  it('skips frames with a repeated or invalid timestamp', async () => {
    const { device } = await readyHarness();
    const camera = recorded(visit(1, 'left'));
    const frames = async function* () {
      for await (const frame of camera.frames(new AbortController().signal)) {
        yield frame;
        yield { ...frame, timestampMs: Number.NaN };
        yield frame;
      }
    };
    const result = await device.verifyLiveAsync('ticket-1', { ...camera, frames });
    expect(result.outcome).toBe('Match');
    expect(result.counts.framesDropped).toBeGreaterThan(result.counts.framesAnalysed);
  });
});
