import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { imageToBase64 } from './enrolment.ts';

afterEach(() => vi.unstubAllGlobals());

describe('a photo becomes base64', () => {
  it.each([true, false])('whatever its bytes and however it is handed over; Buffer: %s', async (withBuffer) => {
    const RealBuffer = Buffer;
    if (!withBuffer) vi.stubGlobal('Buffer', undefined);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const expected = RealBuffer.from(bytes).toString('base64');
        const whole = bytes.slice().buffer;
        const view = new Uint8Array([1, ...bytes, 2]).subarray(1, bytes.length + 1);
        for (const image of [bytes, whole, view, new Blob([whole]), { base64: expected }]) {
          expect(await imageToBase64(image)).toBe(expected);
        }
      }),
    );
  });

  it('a large one too', async () => {
    const RealBuffer = Buffer;
    const bytes = Uint8Array.from({ length: 1_000_003 }, (_unused, i) => (i * 31) & 255);
    vi.stubGlobal('Buffer', undefined);
    expect(await imageToBase64(bytes)).toBe(RealBuffer.from(bytes).toString('base64'));
  });
});
