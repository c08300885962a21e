import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrameMessage, readWindowHeight } from './messages.ts';

describe('messages of the page', () => {
  it.each([
    { type: 'ready' },
    { type: 'show-top', px: 120 },
    { type: 'error', text: 'The token has expired.', expired: true },
    { type: 'title', text: '' },
    { type: 'theme', theme: 'dark' },
    { type: 'height', px: 10_000 },
  ])('%o', (message) => {
    expect(readFrameMessage(message)).toEqual(message);
    expect(readFrameMessage({ ...message, more: 1 })).toEqual(message);
  });

  it.each([
    'ready',
    { type: ['ready'] },
    { type: '__proto__' },
    { type: 'error', text: 'x'.repeat(501) },
    { type: 'title', text: null },
    { type: 'theme', theme: 'url(x)' },
    { type: 'height', px: '600' },
    { type: 'height', px: 0 },
    { type: 'height', px: 10_001 },
    { type: 'height', px: 1.5 },
  ])('not %o', (message) => {
    expect(readFrameMessage(message)).toBe(null);
  });

  it('scroll to the frame’s top at least', () => {
    for (const px of [undefined, -1, '120']) {
      expect(readFrameMessage({ type: 'show-top', px })).toEqual({ type: 'show-top', px: 0 });
    }
  });

  it('are read as a known message or as null', () => {
    fc.assert(
      fc.property(fc.anything(), (data) => {
        const message = readFrameMessage(data);
        if (message !== null) expect(readFrameMessage(message)).toEqual(message);
      }),
    );
  });
});

describe('the height of the window around the frame', () => {
  it('is a whole number of pixels', () => {
    expect(readWindowHeight({ type: 'window', px: 844 })).toBe(844);
    for (const px of [0, -1, 1.5, 10_001, '844', Number.NaN, undefined, null])
      expect(readWindowHeight({ type: 'window', px })).toBe(null);
    for (const data of [null, undefined, 844, 'window', { type: 'height', px: 844 }, { px: 844 }])
      expect(readWindowHeight(data)).toBe(null);
  });
});
