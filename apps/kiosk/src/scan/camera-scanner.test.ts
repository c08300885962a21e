import { describe, expect, it, vi } from 'vitest';
import { CodeFilter, cameraProblemOf, createCameraScanner } from './camera-scanner.ts';

const qr = (text: string) => ({ text, format: 'qr_code' });
const bars = (text: string) => ({ text, format: 'code_128' });

describe("codes in the camera's picture", () => {
  it('give one scan while the code is in view', () => {
    const filter = new CodeFilter();
    expect(filter.see([qr('a')], 0)).toBe('a');
    for (let nowMs = 120; nowMs < 30_000; nowMs += 120) expect(filter.see([qr('a')], nowMs)).toBeNull();
  });

  it('give another scan after the code was away, but not after it flickered', () => {
    const filter = new CodeFilter();
    filter.see([qr('a')], 0);
    expect(filter.see([], 500)).toBeNull();
    expect(filter.see([qr('a')], 1_000)).toBeNull();
    expect(filter.see([], 2_000)).toBeNull();
    expect(filter.see([qr('a')], 3_100)).toBe('a');
  });

  it('give no other scan if the ticket lay before the camera while it was off', () => {
    const filter = new CodeFilter();
    filter.see([qr('a')], 0);
    filter.resume(9_000);
    expect(filter.see([qr('a')], 9_100)).toBeNull();
    expect(filter.see([], 10_000)).toBeNull();
    expect(filter.see([qr('a')], 11_200)).toBe('a');
    // Another ticket is read at once.
    expect(filter.see([qr('b')], 11_320)).toBe('b');
  });

  it('give no other scan if a busy machine took no picture for a while', () => {
    const filter = new CodeFilter();
    filter.see([qr('a')], 0);
    expect(filter.see([qr('a')], 5_000)).toBeNull();
    expect(filter.see([], 5_120)).toBeNull();
    expect(filter.see([qr('a')], 5_240)).toBeNull();
    expect(filter.see([qr('a')], 9_000)).toBeNull();
  });

  it('must be seen twice if they are bar codes, which can be misread', () => {
    const filter = new CodeFilter();
    expect(filter.see([bars('4006381333931')], 0)).toBeNull();
    expect(filter.see([bars('4006381333937')], 120)).toBeNull();
    expect(filter.see([bars('4006381333931')], 240)).toBeNull();
    expect(filter.see([bars('4006381333931')], 360)).toBe('4006381333931');
  });

  it('are ignored if two differ, or one is empty', () => {
    const filter = new CodeFilter();
    expect(filter.see([qr('a'), qr('b')], 0)).toBeNull();
    expect(filter.see([qr('')], 120)).toBeNull();
    expect(filter.see([qr('a'), qr('a')], 240)).toBe('a');
  });
});

it.each([
  ['NotAllowedError', 'denied'],
  ['SecurityError', 'denied'],
  ['NotFoundError', 'missing'],
  ['OverconstrainedError', 'missing'],
  ['NotReadableError', 'lost'],
  ['AbortError', 'lost'],
])('a camera that refuses with %s is %s', (name, problem) => {
  expect(cameraProblemOf(new DOMException('no', name))).toBe(problem);
});

it('a page outside a secure context has no cameras', () => {
  expect(cameraProblemOf(new TypeError('undefined'))).toBe('unsupported');
});

it('a reader that never answers is made anew, and its camera is off after a stop', async () => {
  vi.useFakeTimers();
  const track = Object.assign(new EventTarget(), { stop: vi.fn(), getSettings: () => ({}) });
  const getUserMedia = vi.fn(async () => ({ getTracks: () => [track], getVideoTracks: () => [track] }));
  const context = { drawImage: () => {}, getImageData: () => ({ data: new Uint8ClampedArray(4) }) };
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } });
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => context }), hidden: false });
  vi.stubGlobal('HTMLMediaElement', { HAVE_CURRENT_DATA: 2 });
  const terminate = vi.fn();
  const onProblem = vi.fn();
  const video = { videoWidth: 1, videoHeight: 1, readyState: 2, play: async () => {} } as never;
  const scanner = createCameraScanner(() => ({ postMessage: () => {}, terminate }) as never);
  const stop = scanner.start({ video, cameraId: null, onCode: () => {}, onProblem });
  await vi.advanceTimersByTimeAsync(36_000);
  expect(onProblem.mock.calls).toEqual([['slow'], [null], ['unsupported']]);
  expect(getUserMedia).toHaveBeenCalledTimes(2);
  stop();
  await vi.advanceTimersByTimeAsync(0);
  expect([track.stop.mock.calls.length, terminate.mock.calls.length]).toEqual([2, 2]);
  vi.useRealTimers().unstubAllGlobals();
});
