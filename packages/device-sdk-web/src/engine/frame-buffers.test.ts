import { describe, expect, it } from 'vitest';
import { FrameBuffers } from './worker-engine.ts';

const frame = (length: number, value: number) => new Uint8Array(length).fill(value);

describe('buffers that carry frames', () => {
  it('hold a copy each, never the frame itself', () => {
    const pixels = frame(8, 3);
    const buffers = new FrameBuffers();
    const first = buffers.copyOf(pixels);
    const second = buffers.copyOf(pixels);
    expect(first).toEqual(pixels);
    expect(new Set([first.buffer, second.buffer, pixels.buffer]).size).toBe(3);
  });

  it('are used again once they are back, for a frame of the same size', () => {
    const buffers = new FrameBuffers();
    const carried = buffers.copyOf(frame(8, 3));
    buffers.takeBack(carried.fill(0));
    expect(buffers.copyOf(frame(4, 5)).buffer).not.toBe(carried.buffer);
    const again = buffers.copyOf(frame(8, 7));
    expect(again.buffer).toBe(carried.buffer);
    expect(again).toEqual(frame(8, 7));
    expect(buffers.copyOf(frame(8, 9)).buffer).not.toBe(carried.buffer);
  });

  it('take a copy of bytes that lie within a larger buffer', () => {
    const buffers = new FrameBuffers();
    const within = frame(16, 4).subarray(4, 12);
    const carried = buffers.copyOf(within);
    expect(carried.buffer.byteLength).toBe(8);
  });

  it('are limited to the two latest', () => {
    const buffers = new FrameBuffers();
    const carried = [1, 2, 3].map((value) => buffers.copyOf(frame(8, value)));
    for (const each of carried) buffers.takeBack(each);
    const used = [4, 5, 6].map((value) => buffers.copyOf(frame(8, value)));
    const isOneOf = (each: Uint8Array) => carried.some(({ buffer }) => buffer === each.buffer);
    expect(used.map(isOneOf)).toEqual([true, true, false]);
    expect(used.some(({ buffer }) => buffer === carried[0]?.buffer)).toBe(false);
  });
});
