import { describe, expect, it, vi } from 'vitest';
import { webTimers } from '../platform/platform.ts';
import { frameOf } from '../testing/fake-engine.ts';
import { type Camera, type CameraFrame, openFrameSource } from './camera.ts';

const frame = (i: number): CameraFrame => frameOf({ heads: [] }, i);
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));
const camera = (frames: Camera['frames'], timing: Camera['timing'] = 'live'): Camera => ({
  frames,
  timing,
  prompt: () => undefined,
});
const open = (of: Camera) => openFrameSource(of, webTimers, new AbortController().signal);

describe('a live camera', () => {
  it('gives the newest frame and counts skipped ones', async () => {
    const source = open(
      camera(async function* () {
        for (let i = 0; i < 5; i += 1) {
          yield frame(i);
          await soon();
        }
      }),
    );
    expect((await source.next())?.timestampMs).toBe(0);
    await vi.waitFor(() => expect(source.dropped).toBe(3), 30_000);
    expect((await source.next())?.timestampMs).toBe(4);
    expect(source.dropped).toBe(3);
    expect(await source.next()).toBeNull();
  });

  it('lets the rest of the program run despite endless frames', async () => {
    let pulled = 0;
    const source = open(
      camera(async function* () {
        for (;;) yield frame(pulled++);
      }),
    );
    await soon();
    expect(await source.next()).not.toBeNull();
    source.close();
    expect(pulled).toBeLessThan(1_000);
  });

  it('gives the frame that arrived before the failure, then throws', async () => {
    const source = open(
      camera(async function* () {
        yield frame(1);
        throw new Error('unplugged');
      }),
    );
    await soon();
    expect((await source.next())?.timestampMs).toBe(1);
    await expect(source.next()).rejects.toThrow('unplugged');
  });

  it('gets unused frames back: replaced ones, the last one, and later ones', async () => {
    const released: number[] = [];
    let come = () => {};
    let isAsked = false;
    const later = new Promise<void>((resolve) => {
      come = resolve;
    });
    const lent = (i: number): CameraFrame => ({ ...frame(i), release: () => released.push(i) });
    const source = open(
      camera(async function* () {
        for (let i = 0; i < 4; i += 1) yield lent(i);
        isAsked = true;
        await later;
        yield lent(4);
      }),
    );
    expect((await source.next())?.timestampMs).toBe(0);
    await vi.waitFor(() => expect([isAsked, released]).toEqual([true, [1, 2]]), 30_000);
    source.close();
    expect(released).toEqual([1, 2, 3]);
    come();
    await vi.waitFor(() => expect(released).toEqual([1, 2, 3, 4]), 30_000);
  });
});
