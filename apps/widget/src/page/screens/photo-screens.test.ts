import { expect, it } from 'vitest';
import { problemFaces } from './photo-screens.tsx';

const [main, behind, poster] = [0.3, 0.1, 0.7].map((x) => ({ x, y: 0.3, width: 0.2, height: 0.3 }));
const faces = [main, behind, poster].flatMap((face) => face ?? []);

it('the problem is in the face, in the other faces, or nowhere that can be shown', () => {
  const of = (...args: Parameters<typeof problemFaces>) => problemFaces(...args);
  expect(of('too-dark', { flaw: 'too-dark', faces: faces.slice(0, 1) })).toEqual([main]);
  expect(of('several-faces', { flaw: 'several-faces', faces })).toEqual([behind, poster]);
  // The service found what the page did not.
  expect(of('covered', { flaw: null, faces })).toEqual([main]);
  expect(of('no-face', { flaw: 'no-face', faces: [] })).toEqual([]);
  expect(of('image-invalid', { flaw: null, faces })).toEqual([]);
  expect(of(null, { flaw: null, faces })).toEqual([]);
  expect(of('blurred', null)).toEqual([]);
  expect(of('blurred', 'coming')).toEqual([]);
});
