import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleSession, sampleSteps } from '../../testing/sample-states.ts';
import {
  type Boxes,
  type CameraView,
  type EventType,
  type FlowEvent,
  firstStep,
  type HeldPhoto,
  initialState,
  missingBoxes,
  noBoxes,
  outcomeOf,
  type State,
  type Step,
} from './state.ts';
import { retryDelayMs, transition } from './transition.ts';

const session = sampleSession();
const photo: HeldPhoto = { jpeg: new Blob(), width: 2, height: 2, key: 'key-1', source: 'camera', mirrored: true };
const file = new Blob(['a file']);
const ticked: Boxes = { ...noBoxes, explicitBiometricConsent: true, writtenRelease: true };
const live = { mode: 'live', canSwitch: true, mirrored: true, guidance: null, busy: null } as const;
const review = { flaw: null, faces: [] } as const;

/** One of each event. */
const events: { readonly [T in EventType]: Extract<FlowEvent, { readonly type: T }> } = {
  opened: { type: 'opened', language: null, kept: null },
  'session-read': { type: 'session-read', session },
  enrolled: { type: 'enrolled', deleteAfter: session.deleteAfter },
  'photo-refused': { type: 'photo-refused', refusal: 'no-face', attemptsLeft: 4 },
  'wording-changed': { type: 'wording-changed' },
  declined: { type: 'declined' },
  'decline-undone': { type: 'decline-undone' },
  ended: { type: 'ended', why: 'used', message: 'The enrolment token has been used', about: null },
  unreachable: { type: 'unreachable', kind: 'offline', retryAfterMs: null },
  'language-chosen': { type: 'language-chosen', language: 'de' },
  'box-ticked': { type: 'box-ticked', box: 'under16', ticked: true },
  'consent-pressed': { type: 'consent-pressed' },
  'decline-pressed': { type: 'decline-pressed', key: 'key-2' },
  'back-pressed': { type: 'back-pressed' },
  'undo-pressed': { type: 'undo-pressed' },
  'went-to': { type: 'went-to', place: 'consent' },
  'retry-pressed': { type: 'retry-pressed' },
  'camera-pressed': { type: 'camera-pressed' },
  'switch-pressed': { type: 'switch-pressed' },
  'shutter-pressed': { type: 'shutter-pressed' },
  'file-chosen': { type: 'file-chosen', file },
  'retake-pressed': { type: 'retake-pressed' },
  'send-pressed': { type: 'send-pressed' },
  'camera-opened': { type: 'camera-opened', canSwitch: true, mirrored: true },
  'camera-failed': { type: 'camera-failed', problem: 'denied' },
  guided: { type: 'guided', guidance: { hint: 'come-closer', face: null, held: 0 } },
  'engine-changed': { type: 'engine-changed', engine: { name: 'loading', progress: 0.5 } },
  'engine-wanted': { type: 'engine-wanted' },
  steady: { type: 'steady' },
  'photo-taken': { type: 'photo-taken', photo },
  reviewed: { type: 'reviewed', key: 'key-1', review },
  'file-refused': { type: 'file-refused', problem: 'too-large' },
  online: { type: 'online' },
};
const trouble = { kind: 'offline', tries: 1 } as const;
const consent = { name: 'consent', boxes: noBoxes, asked: false, changed: false, photo: null } as const;
const camera = (view: CameraView) =>
  ({ name: 'camera', boxes: ticked, camera: view, fileProblem: null, automatic: true }) as const;
const off = camera({ mode: 'off', problem: 'none' });
const sending = { name: 'sending', boxes: ticked, photo, review: 'coming', trouble: null, tooLate: false } as const;
const declining = { name: 'declining', key: 'key-2', trouble: null, back: consent } as const;
const check = { name: 'check', boxes: ticked, photo, review: 'coming' } as const;
const refused = { name: 'refused', boxes: ticked, refusal: 'blurred', photo, review: 'coming' } as const;
const undoing = { name: 'undoing', key: 'key-2', trouble: null } as const;
const samples = Object.values(sampleSteps(photo));

const at = (step: Step): State => ({ ...initialState, session, step });

/** `step: effects`; undefined if nothing changed. */
function told(before: Step, event: FlowEvent): string | undefined {
  const { state, effects } = transition(at(before), event);
  if (state.step === before && effects.length === 0) return undefined;
  const done = effects.map((effect) => {
    if (effect.type === 'call')
      return `call ${effect.call.to}${effect.afterMs === 0 ? '' : ` after ${effect.afterMs}`}`;
    return effect.type === 'tell' ? `tell ${effect.notice.type}` : effect.type;
  });
  return `${state.step.name}: ${done.join(', ')}`;
}

describe('a request', () => {
  it.each<[string, Step & { readonly trouble: unknown }]>([
    ['session', firstStep],
    ['enrol', sending],
    ['decline', declining],
    ['undo-decline', undoing],
  ])('(%s) is repeated later, and at once if the guest or the network says so', (to, step) => {
    const inTrouble = { ...step, trouble } as Step;
    expect(told(step, events.unreachable)).toBe(`${step.name}: call ${to} after 1000`);
    expect(told(inTrouble, events.unreachable)).toBe(`${step.name}: call ${to} after 2000`);
    for (const event of [events['retry-pressed'], events.online]) {
      expect(told(step, event)).toBeUndefined();
      expect(told(inTrouble, event)).toBe(`${step.name}: call ${to}`);
    }
  });

  it.each<[Step, string]>([
    [consent, 'consent: call-off'],
    [camera(live), 'camera: call-off, open-camera'],
    [check, 'check: call-off, review-photo'],
    // The photo may have arrived.
    [{ ...sending, trouble }, 'sending: call enrol'],
  ])('to decline can be taken back once a try has failed: %o', (back, result) => {
    const step = { ...declining, back } as typeof declining;
    expect(told(step, events['back-pressed'])).toBeUndefined();
    expect(told({ ...step, trouble } as Step, events['back-pressed'])).toBe(result);
  });
});

it.each<[string, Step, keyof typeof events, string | undefined]>([
  ['opens when it is not awaited any more', off, 'camera-opened', 'camera: close-camera'],
  ['fails while a file is converted', camera({ mode: 'preparing' }), 'camera-failed', undefined],
  ['is steady while a photo is taken', camera({ ...live, busy: 'taking' }), 'steady', undefined],
  ['is steady while another one opens', camera({ ...live, busy: 'switching' }), 'steady', undefined],
  ['moves while a photo is taken', camera({ ...live, busy: 'taking' }), 'guided', undefined],
  ['is left by declining', camera(live), 'decline-pressed', 'declining: close-camera, call decline'],
  ['is left for the consent', camera(live), 'back-pressed', 'consent: close-camera'],
])('a camera that %s', (_what, step, type, result) => {
  expect(told(step, events[type])).toBe(result);
});

const run = (step: Step, ...all: readonly FlowEvent[]) => {
  let state = at(step);
  let effects: readonly string[] = [];
  for (const event of all) {
    const next = transition(state, event);
    state = next.state;
    effects = next.effects.map((effect) => (effect.type === 'call' ? JSON.stringify(effect.call) : effect.type));
  }
  return { state, step: state.step, effects };
};

describe('consent', () => {
  it('begins with no box ticked', () => {
    const { step } = run({ ...consent, boxes: ticked }, events['language-chosen'], events['session-read']);
    expect(step).toMatchObject({ name: 'consent', boxes: noBoxes });
  });

  it('needs a guardian for a guest under 16, and clears the box otherwise', () => {
    const minor = { ...ticked, under16: true };
    expect(missingBoxes(minor)).toEqual(['guardianConsent']);
    expect(run({ ...consent, boxes: minor }, events['consent-pressed']).step).toMatchObject({ asked: true });
    const grown = run(
      { ...consent, boxes: { ...minor, guardianConsent: true } },
      { type: 'box-ticked', box: 'under16', ticked: false },
    );
    expect(grown.step).toMatchObject({ boxes: ticked });
  });

  it('reports “ready” once, even if the session is read again', () => {
    const first = transition(initialState, events['session-read']);
    expect(first.effects).toEqual([{ type: 'tell', notice: { type: 'ready' } }]);
    const again = transition(transition(first.state, events['language-chosen']).state, events['session-read']);
    expect(again.effects).toEqual([]);
  });

  it('is asked for again after the text has changed, and the photo is kept', () => {
    const { step } = run(sending, events['wording-changed'], events['session-read']);
    expect(step).toMatchObject({ name: 'consent', changed: true, boxes: noBoxes, photo });
    const agreed = run({ ...(step as typeof consent), boxes: ticked, photo }, events['consent-pressed']);
    expect(agreed.step).toMatchObject({ name: 'check', photo });
  });
});

describe('the browser’s Back', () => {
  const toCamera = { type: 'went-to', place: 'camera' } as const;

  it('goes from a photo to the camera, and no further', () => {
    expect(told(check, toCamera)).toBe('camera: open-camera');
    for (const step of [camera(live), refused, sending, consent, declining]) {
      expect(told(step, toCamera)).toBeUndefined();
    }
    for (const step of [camera(live), refused, check]) {
      expect(told(step, events['went-to'])).toBe('consent: close-camera');
    }
  });

  it('sends nothing again, and Forward goes nowhere', () => {
    for (const step of samples) {
      for (const place of ['check', 'done'] as const) {
        expect(transition(at(step), { type: 'went-to', place }).effects).toEqual([]);
      }
    }
    expect(told(sending, events['went-to'])).toBeUndefined();
  });
});

it('ticks from before a reload are there for the same text only', () => {
  const opened = (wordingSha256: string) =>
    run(firstStep, { ...events.opened, kept: { wordingSha256, boxes: ticked } }, events['session-read']).step;
  expect(opened(session.wordingSha256)).toMatchObject({ name: 'consent', boxes: ticked });
  expect(opened('another')).toMatchObject({ name: 'consent', boxes: noBoxes });
});

it('declining can be undone, by the key that declined; the consent begins anew', () => {
  const { step, effects } = run(
    { ...declining, back: { ...consent, boxes: ticked } },
    events.declined,
    events['undo-pressed'],
  );
  expect(effects).toEqual([JSON.stringify({ to: 'undo-decline', key: 'key-2' })]);
  expect(run(step, events['decline-undone']).step).toEqual(consent);
});

describe('a photo', () => {
  it('is sent under its own key at every try, with the consent and the wording that was shown', () => {
    const first = run(check, events['send-pressed']);
    const later = run(check, events['send-pressed'], events.unreachable, events.unreachable);
    expect(later.effects).toEqual(first.effects);
    expect(JSON.parse(first.effects[0] ?? '')).toMatchObject({
      to: 'enrol',
      photo: { key: 'key-1' },
      boxes: ticked,
      session: { consentVersion: 'eu-v2', language: 'en', wordingSha256: session.wordingSha256 },
    });
  });

  it('that is refused leaves the attempts that the service says, and ends the flow at the fifth time', () => {
    const again = run(sending, events['photo-refused']);
    expect(again.step).toMatchObject({ name: 'refused', refusal: 'no-face' });
    expect(again.state.session?.attemptsLeft).toBe(4);
    const { step, effects } = run(sending, { ...events['photo-refused'], attemptsLeft: 0 });
    expect(step).toEqual({ name: 'ended', why: 'exhausted', about: null });
    expect(effects).toEqual(['tell']);
  });

  it('is ignored if it comes after the guest has left the step', () => {
    const fromFile = { type: 'photo-taken', photo: { ...photo, source: 'file' } } as const;
    expect(told(camera({ mode: 'preparing' }), fromFile)).toBe('check: close-camera, review-photo');
    expect(told(camera(live), fromFile)).toBeUndefined();
    expect(told(off, events['photo-taken'])).toBeUndefined();
  });

  it('is taken automatically only until there was one', () => {
    const first = run({ ...consent, boxes: ticked }, events['consent-pressed'], events['camera-opened'], events.steady);
    expect(first.step).toMatchObject({ automatic: true, camera: { busy: 'taking' } });
    let state = first.state;
    for (const event of [events['photo-taken'], events['retake-pressed'], events['camera-opened'], events.steady])
      state = transition(state, event).state;
    expect(state.step).toMatchObject({ name: 'camera', automatic: false, camera: { mode: 'live', busy: null } });
    expect(transition(state, events['shutter-pressed']).effects).toEqual([{ type: 'take-photo' }]);
  });

  it('is reviewed, and keeps its review until the service has answered', () => {
    const { step } = run(check, events.reviewed, events['send-pressed'], events['photo-refused']);
    expect(step).toMatchObject({ name: 'refused', photo, review });
    const late = run(check, events['send-pressed'], events['photo-refused'], events.reviewed);
    expect(late.step).toMatchObject({ name: 'refused', review });
    expect(told(check, { type: 'reviewed', key: 'another photo', review })).toBeUndefined();
  });
});

it('the engine’s state is kept at every step, and moves nobody to another one', () => {
  for (const step of samples) {
    const { state, effects } = transition(at(step), events['engine-changed']);
    expect(state).toEqual({ ...at(step), engine: { name: 'loading', progress: 0.5 } });
    expect(effects).toEqual([]);
  }
});

it('how a link ended is told again, but not where a reload may help, or in a preview', () => {
  const over = (step: object, preview = false) => outcomeOf({ session: { ...session, preview }, step: step as Step });
  const { deleteAfter, eventName } = session;
  expect(over({ name: 'done', deleteAfter })).toMatchObject({ why: 'enrolled', about: { eventName, deleteAfter } });
  expect(over({ name: 'declined' })).toMatchObject({ why: 'declined', about: { eventName } });
  const endings = ['expired', 'incomplete', 'closed', 'failed'].map((why) => over({ name: 'ended', why, about: null }));
  expect(endings.map((one) => one?.why)).toEqual(['expired', 'incomplete', undefined, undefined]);
  expect([over({ name: 'sending' }), over({ name: 'done', deleteAfter }, true)]).toEqual([null, null]);
});

it('no file becomes a photo if the list accepts only camera photos', () => {
  const session = { ...sampleSession(), photoSource: 'camera' } as const;
  for (const step of [camera(live), off, refused]) {
    const before = { ...at(step), session };
    expect(transition(before, events['file-chosen'])).toEqual({ state: before, effects: [] });
  }
});

it('a guest who declines while a photo is sent is told if it had arrived', () => {
  const { step } = run(
    { ...sending, trouble },
    events['decline-pressed'],
    events.ended,
    events.unreachable,
    events.enrolled,
  );
  expect(step).toMatchObject({ name: 'done', tooLate: true });
});

it('retries wait longer each time, and at least as long as the service asked', () => {
  expect([1, 2, 3, 4, 5, 50].map((tries) => retryDelayMs(tries, null))).toEqual([
    1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
  ]);
  expect(retryDelayMs(1, 30_000)).toBe(30_000);
});

it('for any order of events, the camera is on in its own step only, and nothing is sent without both ticks', () => {
  const any = fc.constantFrom<FlowEvent>(
    ...Object.values(events),
    { type: 'box-ticked', box: 'explicitBiometricConsent', ticked: true },
    { type: 'box-ticked', box: 'writtenRelease', ticked: true },
    { type: 'photo-taken', photo: { ...photo, source: 'file' } },
  );
  fc.assert(
    fc.property(fc.array(any, { maxLength: 40 }), (all) => {
      let state = initialState;
      let isOn = false;
      for (const event of all) {
        const next = transition(state, event);
        state = next.state;
        for (const effect of next.effects) {
          if (effect.type === 'open-camera') isOn = true;
          if (effect.type === 'close-camera') isOn = false;
          if (effect.type === 'call' && effect.call.to === 'enrol') expect(missingBoxes(effect.call.boxes)).toEqual([]);
          expect(effect.type === 'tell' && state.step.name === 'camera').toBe(false);
        }
        if (state.step.name !== 'camera') expect(isOn).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});
