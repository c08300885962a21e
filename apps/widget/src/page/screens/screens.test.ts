import { describe, expect, it, vi } from 'vitest';
import type { EngineState, Guidance } from '../../ports.ts';
import type { CameraView } from '../flow/state.ts';
import { captureStage, ringShare, stageText } from './camera-screen.tsx';
import { missingText } from './consent-screen.tsx';
import { problemFaces } from './photo-screens.tsx';
import { isPhone, momentOf } from './screen-parts.tsx';

type Live = Extract<CameraView, { mode: 'live' }>;
const face = { x: 0.3, y: 0.2, width: 0.3, height: 0.5 };
const live = (guidance: Guidance | null, busy: Live['busy'] = null): Live => ({
  mode: 'live',
  canSwitch: false,
  mirrored: true,
  guidance,
  busy,
});
const ready: EngineState = { name: 'ready' };
const good: Guidance = { hint: null, face, held: 0.5 };

describe('the stage of the capture', () => {
  it.each<[string, Parameters<typeof captureStage>]>([
    ['opening', [{ mode: 'opening' }, { name: 'loading', progress: 0.2 }]],
    ['loading', [live(null), { name: 'loading', progress: null }]],
    // The models are there, and no frame was analysed yet.
    ['loading', [live(null), ready]],
    // The engine failed after it had given advice.
    ['by-hand', [live(good), { name: 'absent' }]],
    ['by-hand', [live(null), { name: 'stalled', progress: 0.2 }]],
    ['searching', [live({ hint: 'more-light', face: null, held: 0 }), ready]],
    ['adjusting', [live({ hint: 'come-closer', face, held: 0 }), ready]],
    ['holding', [live(good), ready]],
    ['taken', [live(null, 'taking'), { name: 'absent' }]],
    ['holding', [live(good, 'switching'), ready]],
  ])('%s: %o', (stage, [camera, engine]) => {
    expect(captureStage(camera, engine)).toBe(stage);
  });

  it('tells a guest who decides when that the moment is good, and everybody that the photo was taken', () => {
    expect(stageText('holding', null, true)).toBe('hint.good');
    expect(stageText('holding', null, false)).toBe('hint.ready');
    expect(stageText('taken', null, true)).toBe('hint.taken');
  });
});

it.each<[number, Parameters<typeof ringShare>]>([
  [0, ['adjusting', 0.7, true]],
  [0.25, ['holding', 0.25, true]],
  [1, ['taken', 0.2, true]],
  // The guest says when: there is nothing to wait for.
  [1, ['holding', 0, false]],
])('the ring is filled by %d: %o', (share, args) => {
  expect(ringShare(...args)).toBe(share);
});

it('a parent or guardian is asked for the tick that a child cannot give', () => {
  expect(missingText('guardianConsent')).toBe('consent.missing-guardian');
  expect(missingText('writtenRelease')).toBe('consent.missing');
});

const [main, behind, poster] = [0.3, 0.1, 0.7].map((x) => ({ x, y: 0.3, width: 0.2, height: 0.3 }));
const faces = [main, behind, poster].flatMap((face) => face ?? []);

it('the problem is in the face, in the other faces, or nowhere that can be shown', () => {
  const of = problemFaces;
  expect(of('too-dark', { flaw: 'too-dark', faces: faces.slice(0, 1) })).toEqual([main]);
  expect(of('several-faces', { flaw: 'several-faces', faces })).toEqual([behind, poster]);
  // The service found what the page did not.
  expect(of('covered', { flaw: null, faces })).toEqual([main]);
  expect(of('no-face', { flaw: 'no-face', faces: [] })).toEqual([]);
  expect(of('image-invalid', { flaw: null, faces })).toEqual([]);
  expect(of('too-large', { flaw: null, faces })).toEqual([]);
  expect(of(null, { flaw: null, faces })).toEqual([]);
  expect(of('blurred', null)).toEqual([]);
  expect(of('blurred', 'coming')).toEqual([]);
});

it('an event in a time zone that the browser does not know has no time', () => {
  vi.stubGlobal('navigator', { languages: [] });
  expect(momentOf('2026-07-04T17:00:00Z', 'en', 'Europe/Kyiv')).toMatch(/8:00\sPM/);
  expect(momentOf('2026-07-04T17:00:00Z', 'en', 'Europe/Nowhere')).toBeNull();
  vi.unstubAllGlobals();
});

it.each<[boolean, string, object, number, boolean]>([
  [true, 'an iPhone, turned', { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' }, 390, true],
  [true, 'a phone whose pen hovers', { userAgentData: { mobile: true } }, 412, false],
  [true, 'a phone in Firefox', { userAgent: 'Mozilla/5.0 (Android 15; Mobile; rv:140.0)' }, 412, true],
  [true, 'a phone that asks for desktop pages', { maxTouchPoints: 5 }, 412, true],
  [false, 'a tablet', { maxTouchPoints: 5 }, 744, true],
  [false, 'a small laptop with a touch screen', { maxTouchPoints: 10, userAgentData: { mobile: false } }, 520, false],
])('on a phone: %s (%s)', (expected, _name, navigator, height, isTouched) => {
  expect(isPhone({ navigator, screen: { width: 915, height } } as never, isTouched)).toBe(expected);
});
