import { expect, it } from 'vitest';
import { decodePhotoText, wipePhoto } from './photo-text.ts';

it('wipes a photo, and leaves one alone that was handed over', () => {
  const photo = decodePhotoText(Buffer.from('a face').toString('base64'));
  const [taken] = structuredClone([photo], { transfer: [photo.buffer] });
  wipePhoto(photo);
  expect(Buffer.from(taken ?? []).toString()).toBe('a face');
  if (taken !== undefined) wipePhoto(taken);
  expect(taken).toEqual(new Uint8Array(6));
});
