import { describe, expect, it, vi } from 'vitest';
import { createHarness, type Harness, NOTHING, recorded, remains, visit } from '../testing/device-harness.ts';
import { OTHER_ENGINE_ID, templateOf } from '../testing/fake-engine.ts';
import { ENGINE_ID } from '../testing/fake-service.ts';

const HOUR = 3_600_000;

const prepared = ({ engine }: Harness): readonly string[] =>
  engine.asked.filter(({ what }) => what === 'prepare').map(({ engineIds }) => engineIds.join(' + '));

function withOtherEpoch(harness: Harness): void {
  harness.service.enrol('ticket-1', templateOf(1));
  harness.service.epochs.unshift({
    epoch: 2,
    engineId: OTHER_ENGINE_ID,
    listKey: new Uint8Array(32).fill(8),
    people: new Map(),
  });
  harness.service.enrol('ticket-2', templateOf(2, OTHER_ENGINE_ID));
}

const answerOf = async (device: Awaited<ReturnType<Harness['create']>>, who: number) => {
  const { outcome, reason } = await device.verifyLiveAsync(`ticket-${who}`, recorded(visit(who, 'left')));
  return `${outcome}/${reason}`;
};

describe('the networks of a device', () => {
  it('are those of the list’s epochs, newest first, after a sync and after a start, each loaded once', async () => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    withOtherEpoch(harness);
    const device = await harness.create();
    expect(prepared(harness)).toEqual([ENGINE_ID]);
    await device.syncAsync();
    await device.syncAsync();
    expect(await answerOf(device, 1)).toBe('Match/verified');
    expect(await answerOf(device, 2)).toBe('Match/verified');
    const both = `${OTHER_ENGINE_ID} + ${ENGINE_ID}`;
    expect(prepared(harness)).toEqual([ENGINE_ID, both]);
    await device.dispose();
    const again = await harness.create();
    expect(prepared(harness)).toEqual([ENGINE_ID, both, both]);
    expect(again.status().engineIds).toEqual([ENGINE_ID, OTHER_ENGINE_ID]);
  });

  it('are freed when no epoch needs them, and when the list is deleted', async () => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    withOtherEpoch(harness);
    const device = await harness.create();
    await device.syncAsync();
    harness.service.epochs.pop();
    harness.service.version += 1;
    harness.service.retentionDeadline = new Date(harness.time.clock.wallMs() + 5 * HOUR).toISOString();
    await device.syncAsync();
    await harness.time.advance(0);
    expect(prepared(harness).slice(-1)).toEqual([OTHER_ENGINE_ID]);
    device.start();
    harness.service.answer = () => Promise.reject(new Error('offline'));
    await harness.time.advance(5 * HOUR);
    await vi.waitFor(async () => expect(await remains(harness)).toEqual(NOTHING), { timeout: 30_000, interval: 1 });
    await vi.waitFor(() => expect(prepared(harness).slice(-1)).toEqual([ENGINE_ID]), { timeout: 30_000, interval: 1 });
  });

  it('that cannot be loaded block neither sync nor deletion, and are tried again', async () => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    withOtherEpoch(harness);
    let broken = true;
    const failed = new Error('no network');
    const engine: typeof harness.engine = {
      ...harness.engine,
      prepare: (ids) => harness.engine.prepare(ids).then(() => (broken ? Promise.reject(failed) : undefined)),
      embed: (...o) =>
        broken && o[2]?.engineId === OTHER_ENGINE_ID ? Promise.reject(failed) : harness.engine.embed(...o),
    };
    const device = await harness.create({ engine });
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 2 });
    expect(await answerOf(device, 2)).toBe('NoFace/engine-failed');
    expect(await answerOf(device, 1)).toBe('Match/verified');
    broken = false;
    expect(await answerOf(device, 2)).toBe('Match/verified');
    broken = true;
    harness.service.wipe = 'device-revoked';
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'wiped' });
    expect(await remains(harness)).toEqual(NOTHING);
  });

  it('are neither loaded nor freed while an attempt runs', async () => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    withOtherEpoch(harness);
    const device = await harness.create();
    await device.syncAsync();
    await harness.time.advance(0);
    const before = prepared(harness).length;
    const frames = recorded(visit(1, 'left'));
    let during = 0;
    const result = await device.verifyLiveAsync('ticket-1', {
      ...frames,
      async *frames(signal) {
        let i = 0;
        for await (const frame of frames.frames(signal)) {
          i += 1;
          if (i === 5) {
            harness.service.epochs.shift();
            harness.service.version += 1;
            await device.syncAsync();
            await harness.time.advance(0);
          }
          during = prepared(harness).length;
          yield frame;
        }
      },
    });
    expect(result.outcome).toBe('Match');
    expect(during).toBe(before);
    await harness.time.advance(0);
    expect(prepared(harness).slice(before)).toEqual([ENGINE_ID]);
  });

  it('are unchanged once the device is disposed, which waits for running loads', async () => {
    const harness = createHarness([ENGINE_ID, OTHER_ENGINE_ID]);
    withOtherEpoch(harness);
    const loading: (() => void)[] = [];
    const engine: typeof harness.engine = { ...harness.engine };
    const device = await harness.create({ engine });
    engine.prepare = () => new Promise((resolve) => loading.push(resolve));
    await device.syncAsync();
    await vi.waitFor(() => expect(loading).toHaveLength(1), { timeout: 30_000, interval: 1 });
    let disposed = false;
    const disposing = device.dispose().then(() => {
      disposed = true;
    });
    await harness.time.advance(0);
    expect(disposed).toBe(false);
    loading[0]?.();
    await disposing;
    expect(loading).toHaveLength(1);
  });
});
