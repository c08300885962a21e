import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createReadiness, sharedAnswer } from './readiness.ts';

function createNode() {
  const lines: unknown[] = [];
  const log = (fields: object, message: string) => void lines.push({ ...fields, message });
  const state = { models: false, database: true, keyStore: true, keks: true, stopping: false, uptimeMs: 0 };
  const readiness = createReadiness({
    database: { answers: () => Promise.resolve(state.database) },
    keyStore: { answers: () => Promise.resolve(state.keyStore) },
    keyEncryption: { answers: () => Promise.resolve(state.keks) },
    modelsLoaded: () => state.models,
    stopping: () => state.stopping,
    logger: { info: log, warn: log } as never,
    uptimeMs: () => state.uptimeMs,
  });
  return { readiness, state, lines };
}

it('says what a node lacks, and in which order to look', async () => {
  const { readiness, state } = createNode();
  state.database = false;
  state.keyStore = false;
  state.keks = false;
  expect(await readiness.lack()).toBe('models');
  state.models = true;
  expect(await readiness.lack()).toBe('database');
  state.database = true;
  expect(await readiness.lack()).toBe('key-store');
  state.keyStore = true;
  expect(await readiness.lack()).toBe('key-encryption');
  state.keks = true;
  expect(await readiness.lack()).toBeNull();
  state.stopping = true;
  expect(await readiness.lack()).toBe('stopping');
});

it('writes one line a change, with the time since the start and the time away', async () => {
  const { readiness, state, lines } = createNode();
  const askAt = async (uptimeMs: number) => {
    state.uptimeMs = uptimeMs;
    await readiness.lack();
  };
  await askAt(1_000);
  expect([lines, readiness.startSeconds()]).toEqual([[], null]);
  state.models = true;
  await askAt(2_500.4);
  await askAt(3_000);
  state.database = false;
  await askAt(10_000);
  await askAt(12_000);
  state.database = true;
  await askAt(15_000);
  state.stopping = true;
  await askAt(20_000);
  expect(lines).toEqual([
    { startMs: 2_500, message: 'ready' },
    { lack: 'database', message: 'not ready' },
    { awayMs: 5_000, message: 'ready' },
  ]);
  expect(readiness.startSeconds()).toBeCloseTo(2.5, 2);
});

it('notices that it is ready without being asked', async () => {
  const { readiness, state, lines } = createNode();
  readiness.watch();
  state.models = true;
  await vi.waitUntil(() => lines.length > 0, { timeout: 30_000 });
  expect(lines).toEqual([{ startMs: 0, message: 'ready' }]);
  await readiness.close();
});

it('ends its watch when the node stops before it was ready', async () => {
  const { readiness, state, lines } = createNode();
  readiness.watch();
  await readiness.close();
  state.models = true;
  expect(lines).toEqual([]);
});

describe('store', () => {
  it('shares one query among concurrent calls, and queries again for later ones', async () => {
    let asked = 0;
    const shared = sharedAnswer({
      answers() {
        asked += 1;
        return Promise.resolve(asked === 1);
      },
    });
    expect(await Promise.all(Array.from({ length: 100 }, () => shared.answers()))).toEqual(Array(100).fill(true));
    expect(asked).toBe(1);
    expect(await shared.answers()).toBe(false);
  });

  it('does not let a question that hangs delay the good news', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    let end = (_answer: boolean): void => undefined;
    const hanging = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const shared = sharedAnswer({ answers: () => (++asked === 1 ? hanging : Promise.resolve(true)) });
    const first = shared.answers();
    vi.advanceTimersByTime(1_000);
    expect(await shared.answers()).toBe(true);
    end(false);
    expect(await first).toBe(false);
  });
});
