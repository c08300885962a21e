import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DeviceMoment, MomentRecorder } from './moment-recorder.ts';

const sync = (deviceId: string, ms: number): DeviceMoment => ({
  accountId: 'acc_1',
  listId: 'lst_1',
  deviceId,
  at: new Date(ms),
});

describe('last syncs', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('are written together, a second late at most, the latest of each device', async () => {
    const write = vi.fn((_syncs: readonly DeviceMoment[]) => Promise.resolve());
    const recorder = new MomentRecorder(write, () => {});
    recorder.record(sync('dev_1', 5));
    recorder.record(sync('dev_2', 6));
    recorder.record(sync('dev_1', 7));
    recorder.record(sync('dev_1', 3));
    expect(write).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(write).toHaveBeenCalledTimes(1);
    expect(write.mock.calls[0]?.[0]).toEqual([sync('dev_1', 7), sync('dev_2', 6)]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('are tried again when the database is away, and no older time overwrites a newer one', async () => {
    const errors: unknown[] = [];
    const written: (readonly DeviceMoment[])[] = [];
    let down = true;
    const recorder = new MomentRecorder(
      (syncs) => {
        if (down) return Promise.reject(new Error('down'));
        written.push(syncs);
        return Promise.resolve();
      },
      (error) => errors.push(error),
    );
    recorder.record(sync('dev_1', 5));
    await vi.advanceTimersByTimeAsync(1000);
    expect(errors).toHaveLength(1);
    recorder.record(sync('dev_1', 9));
    down = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(written).toEqual([[sync('dev_1', 9)]]);
  });

  it('are written at once on a flush, after what is being written', async () => {
    const order: string[] = [];
    let release = () => {};
    const recorder = new MomentRecorder(
      async (syncs) => {
        order.push(`start ${syncs[0]?.deviceId}`);
        if (order.length === 1)
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        order.push(`end ${syncs[0]?.deviceId}`);
      },
      () => {},
    );
    recorder.record(sync('dev_1', 1));
    const first = recorder.flush();
    await Promise.resolve();
    recorder.record(sync('dev_2', 2));
    const second = recorder.flush();
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['start dev_1', 'end dev_1', 'start dev_2', 'end dev_2']);
  });

  it('need no write when there are none', async () => {
    const write = vi.fn(() => Promise.resolve());
    await new MomentRecorder(write, () => {}).flush();
    expect(write).not.toHaveBeenCalled();
  });
});
