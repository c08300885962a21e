import type { Step as MachineStep } from '@svc/page-kit';
import {
  type Boxes,
  type Call,
  type CameraStep,
  type CheckStep,
  type ConsentStep,
  type Effect,
  type EventType,
  type FlowEvent,
  type HeldPhoto,
  type KeptTicks,
  missingBoxes,
  noBoxes,
  type RefusedStep,
  type SendingStep,
  type State,
  type Step,
  type StepName,
  type StepOf,
  type Trouble,
} from './state.ts';

type Transition = MachineStep<State, Effect>;

type Of<T extends EventType> = Extract<FlowEvent, { readonly type: T }>;
/** Handlers of the events that a step accepts. */
type Handlers<N extends StepName> = {
  readonly [T in EventType]?: (step: StepOf<N>, event: Of<T>, state: State) => Transition;
};

const RETRY_MS = [1_000, 2_000, 4_000, 8_000];
const LAST_RETRY_MS = 15_000;

/** Wait before the next try: longer each time, and at least what the service asked for. */
export function retryDelayMs(tries: number, retryAfterMs: number | null): number {
  return Math.max(RETRY_MS[tries - 1] ?? LAST_RETRY_MS, retryAfterMs ?? 0);
}

const stay = (state: State): Transition => ({ state, effects: [] });
const go = (state: State, step: Step, ...effects: readonly Effect[]): Transition => ({
  state: { ...state, step },
  effects,
});
const call = (to: Call, afterMs = 0): Effect => ({ type: 'call', call: to, afterMs });
const closeCamera: Effect = { type: 'close-camera' };
const tellReady: Effect = { type: 'tell', notice: { type: 'ready' } };

function sessionOf({ session }: State): NonNullable<State['session']> {
  if (session === null) throw new Error('a step behind the consent without a session');
  return session;
}

const toEnrol = (state: State, { boxes, photo }: Pick<SendingStep, 'boxes' | 'photo'>): Call => {
  const { consentVersion, language, wordingSha256, mode } = sessionOf(state);
  return { to: 'enrol', photo, boxes, session: { consentVersion, language, wordingSha256, mode } };
};

const openCamera = (state: State, boxes: Boxes): Transition =>
  go(
    state,
    { name: 'camera', boxes, camera: { mode: 'opening' }, fileProblem: null, automatic: !state.hadPhoto },
    { type: 'open-camera' },
  );

const check = (state: State, boxes: Boxes, photo: HeldPhoto): Transition =>
  go({ ...state, hadPhoto: true }, { name: 'check', boxes, photo, review: 'coming' }, closeCamera, {
    type: 'review-photo',
    photo,
  });

/** Ignores files if the list accepts only camera photos. */
const prepare = (state: State, boxes: Boxes, file: Blob): Transition =>
  sessionOf(state).photoSource === 'camera'
    ? stay(state)
    : go(
        state,
        { name: 'camera', boxes, camera: { mode: 'preparing' }, fileProblem: null, automatic: !state.hadPhoto },
        closeCamera,
        { type: 'prepare-file', file },
      );

const load = (
  state: State,
  o: Pick<StepOf<'loading'>, 'language' | 'changed' | 'photo'> & { readonly kept?: KeptTicks | null },
): Transition =>
  go(state, { name: 'loading', kept: null, ...o, trouble: null }, call({ to: 'session', language: o.language }));

const send = (state: State, step: CheckStep | SendingStep, tooLate = false): Transition => {
  const { boxes, photo, review } = step;
  return go(state, { name: 'sending', boxes, photo, review, trouble: null, tooLate }, call(toEnrol(state, step)));
};

const decline = (state: State, back: StepOf<'declining'>['back'], key: string): Transition =>
  go(
    state,
    { name: 'declining', key, trouble: null, back },
    ...(back.name === 'camera' ? [closeCamera] : []),
    call({ to: 'decline', key }),
  );

const end = (state: State, { why, message, about }: Of<'ended'>): Transition =>
  go(
    state,
    { name: 'ended', why, about },
    { type: 'tell', notice: { type: 'error', message, expired: why === 'expired' } },
  );

type Waiting = StepOf<'loading' | 'sending' | 'declining' | 'undoing'>;

/** Repeats a step's request: later if the service was unavailable, at once on request. */
function retries<S extends Waiting>(requestOf: (step: S, state: State) => Call) {
  const now = (step: S, _event: FlowEvent, state: State): Transition =>
    step.trouble === null ? stay(state) : { state, effects: [call(requestOf(step, state))] };
  return {
    unreachable(step: S, { kind, retryAfterMs }: Of<'unreachable'>, state: State): Transition {
      const trouble: Trouble = { kind, tries: (step.trouble?.tries ?? 0) + 1 };
      return go(state, { ...step, trouble }, call(requestOf(step, state), retryDelayMs(trouble.tries, retryAfterMs)));
    },
    'retry-pressed': now,
    online: now,
  };
}

/** Returns to the step before declining. */
function resume(state: State, back: StepOf<'declining'>['back']): Transition {
  if (back.name === 'camera') {
    const opened = openCamera(state, back.boxes);
    return { ...opened, effects: [{ type: 'call-off' }, ...opened.effects] };
  }
  if (back.name === 'sending') return send(state, back, back.tooLate);
  // A review that came while declining was ignored.
  const isUnreviewed = back.name === 'check' && back.review === 'coming';
  const review: Effect[] = isUnreviewed ? [{ type: 'review-photo', photo: back.photo }] : [];
  return go(state, back, { type: 'call-off' }, ...review);
}

/** The engine's result for the photo of the step. */
const reviews = {
  reviewed: (step: CheckStep | SendingStep | RefusedStep, { key, review }: Of<'reviewed'>, state: State) =>
    step.photo.key === key ? go(state, { ...step, review }) : stay(state),
};

const declines = {
  'decline-pressed': (
    step: ConsentStep | CameraStep | CheckStep | SendingStep | RefusedStep,
    { key }: Of<'decline-pressed'>,
    state: State,
  ) => decline(state, step, key),
};

const loading: Handlers<'loading'> = {
  opened: (step, { language, kept }, state) => load(state, { ...step, language, kept }),
  'session-read'({ changed, photo, kept }, { session }, state) {
    const isFirst = state.session === null;
    // Ticks are for one text.
    const boxes = kept?.wordingSha256 === session.wordingSha256 ? kept.boxes : noBoxes;
    return {
      state: { ...state, session, step: { name: 'consent', boxes, asked: false, changed, photo } },
      effects: [...(isFirst ? [tellReady] : []), ...warmUpFor(boxes)],
    };
  },
  ended: (_step, event, state) => end(state, event),
  /** By the keys of the choice of languages several follow one another. */
  'language-chosen': ({ changed, photo }, { language }, state) => load(state, { language, changed, photo }),
  ...retries<StepOf<'loading'>>(({ language }) => ({ to: 'session', language })),
};

/** Nothing is fetched for the camera before the guest's first tick, so that who declines has paid for nothing. */
const warmUpFor = (boxes: Boxes): readonly Effect[] =>
  Object.values(boxes).includes(true) ? [{ type: 'warm-up', asked: false }] : [];

const consent: Handlers<'consent'> = {
  ...declines,
  /** Another text is to be read, so the ticks are cleared. */
  'language-chosen': ({ changed, photo }, { language }, state) => load(state, { language, changed, photo }),
  'box-ticked'(step, { box, ticked }, state) {
    const boxes = { ...step.boxes, [box]: ticked };
    const next = { ...step, boxes: boxes.under16 ? boxes : { ...boxes, guardianConsent: false } };
    return go(state, next, ...warmUpFor(boxes));
  },
  'consent-pressed'(step, _event, state) {
    if (missingBoxes(step.boxes).length > 0) return go(state, { ...step, asked: true });
    return step.photo === null ? openCamera(state, step.boxes) : check(state, step.boxes, step.photo);
  },
};

const backToConsent = (state: State, boxes: Boxes): Transition =>
  go(state, { name: 'consent', boxes, asked: false, changed: false, photo: null }, closeCamera);

/** The browser's Back, from a photo or from its refusal. Forward is ignored. */
const goBack = ({ boxes }: CheckStep | RefusedStep, { place }: Of<'went-to'>, state: State): Transition => {
  if (place === 'consent') return backToConsent(state, boxes);
  return place === 'camera' && state.step.name === 'check' ? openCamera(state, boxes) : stay(state);
};

function takePhoto(step: CameraStep, state: State): Transition {
  if (step.camera.mode !== 'live' || step.camera.busy !== null) return stay(state);
  return go(state, { ...step, camera: { ...step.camera, busy: 'taking' } }, { type: 'take-photo' });
}

const camera: Handlers<'camera'> = {
  ...declines,
  'camera-opened'(step, { canSwitch, mirrored }, state) {
    const isAwaited = step.camera.mode === 'opening' || step.camera.mode === 'live';
    if (!isAwaited) return { state, effects: [closeCamera] };
    return go(state, { ...step, camera: { mode: 'live', canSwitch, mirrored, guidance: null, busy: null } });
  },
  'camera-failed'(step, { problem }, state) {
    if (step.camera.mode === 'preparing' || step.camera.mode === 'off') return stay(state);
    return go(state, { ...step, camera: { mode: 'off', problem } }, closeCamera);
  },
  guided(step, { guidance }, state) {
    // The picture stands still while the photo is taken.
    if (step.camera.mode !== 'live' || step.camera.busy === 'taking') return stay(state);
    return go(state, { ...step, camera: { ...step.camera, guidance } });
  },
  /** Takes the photo automatically; it is sent only after the guest has checked it. */
  steady: (step, _event, state) => (step.automatic ? takePhoto(step, state) : stay(state)),
  'shutter-pressed': (step, _event, state) => takePhoto(step, state),
  'switch-pressed'(step, _event, state) {
    if (step.camera.mode !== 'live' || step.camera.busy !== null || !step.camera.canSwitch) return stay(state);
    return go(state, { ...step, camera: { ...step.camera, busy: 'switching' } }, { type: 'switch-camera' });
  },
  'camera-pressed': (step, _event, state) => (step.camera.mode === 'off' ? openCamera(state, step.boxes) : stay(state)),
  'file-chosen': (step, { file }, state) =>
    step.camera.mode === 'preparing' ? stay(state) : prepare(state, step.boxes, file),
  'file-refused'(step, { problem }, state) {
    if (step.camera.mode !== 'preparing') return stay(state);
    return go(state, { ...step, camera: { mode: 'off', problem: null }, fileProblem: problem });
  },
  /** A photo that arrives after the step was left is ignored. */
  'photo-taken'(step, { photo }, state) {
    const isAwaited = step.camera.mode === (photo.source === 'file' ? 'preparing' : 'live');
    return isAwaited ? check(state, step.boxes, photo) : stay(state);
  },
  'back-pressed': ({ boxes }, _event, state) => backToConsent(state, boxes),
  'went-to': ({ boxes }, { place }, state) => (place === 'consent' ? backToConsent(state, boxes) : stay(state)),
};

const refused: Handlers<'refused'> = {
  ...declines,
  ...reviews,
  'camera-pressed': ({ boxes }, _event, state) => openCamera(state, boxes),
  'file-chosen': ({ boxes }, { file }, state) => prepare(state, boxes, file),
  'went-to': goBack,
};

const checking: Handlers<'check'> = {
  ...declines,
  ...reviews,
  'retake-pressed': ({ boxes }, _event, state) => openCamera(state, boxes),
  'send-pressed': (step, _event, state) => send(state, step),
  'went-to': goBack,
};

const sending: Handlers<'sending'> = {
  ...declines,
  ...reviews,
  enrolled: ({ tooLate }, { deleteAfter }, state) =>
    go(state, { name: 'done', deleteAfter, tooLate }, { type: 'tell', notice: { type: 'enrolled' } }),
  'photo-refused'({ boxes, photo, review }, { refusal, attemptsLeft }, state) {
    const session = { ...sessionOf(state), attemptsLeft };
    if (attemptsLeft > 0) return go({ ...state, session }, { name: 'refused', boxes, refusal, photo, review });
    return end(
      { ...state, session },
      { type: 'ended', why: 'exhausted', message: 'The enrolment token has no attempts left', about: null },
    );
  },
  /**
   * The text that the guest consented to is no longer current; the photo is kept until the guest consents to the new
   * one.
   */
  'wording-changed': ({ photo }, _event, state) =>
    load(state, { language: sessionOf(state).language, changed: true, photo }),
  ended: (_step, event, state) => end(state, event),
  ...retries<SendingStep>((step, state) => toEnrol(state, step)),
};

const declining: Handlers<'declining'> = {
  declined: ({ key }, _event, state) =>
    go(state, { name: 'declined', key }, { type: 'tell', notice: { type: 'declined' } }),
  ended({ back }, event, state) {
    // The photo whose answer was lost may have used the token: repeat that request under its own key.
    if ((event.why === 'used' || event.why === 'enrolled') && back.name === 'sending') return send(state, back, true);
    return end(state, event);
  },
  ...retries<StepOf<'declining'>>(({ key }) => ({ to: 'decline', key })),
  /** Only after a failed try; before that the answer arrives soon. */
  'back-pressed': ({ back, trouble }, _event, state) => (trouble === null ? stay(state) : resume(state, back)),
};

const undo = (key: string): Call => ({ to: 'undo-decline', key });

const declined: Handlers<'declined'> = {
  'undo-pressed': ({ key }, _event, state) => go(state, { name: 'undoing', key, trouble: null }, call(undo(key))),
};

const undoing: Handlers<'undoing'> = {
  /** Declining withdrew the consent, so it is asked for from the start. The organiser's page learns that it is open again. */
  'decline-undone': (_step, _event, state) =>
    go(state, { name: 'consent', boxes: noBoxes, asked: false, changed: false, photo: null }, tellReady),
  ended: (_step, event, state) => end(state, event),
  ...retries<StepOf<'undoing'>>(({ key }) => undo(key)),
};

const steps: { readonly [N in StepName]: Handlers<N> } = {
  loading,
  consent,
  camera,
  refused,
  check: checking,
  sending,
  declining,
  done: {},
  declined,
  undoing,
  ended: {},
};

/** The next state and its effects. Pure. Events that the current step does not accept change nothing. */
export function transition(state: State, event: FlowEvent): Transition {
  if (event.type === 'engine-changed') return stay({ ...state, engine: event.engine });
  if (event.type === 'engine-wanted') return { state, effects: [{ type: 'warm-up', asked: true }] };
  const handlers = steps[state.step.name] as Readonly<
    Record<string, ((step: Step, event: FlowEvent, state: State) => Transition) | undefined>
  >;
  return handlers[event.type]?.(state.step, event, state) ?? stay(state);
}
