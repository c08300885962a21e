import type { WidgetSession } from '@svc/protocol';
import { photoRefusals } from '@svc/protocol';
import {
  type Boxes,
  type CameraView,
  endings,
  type HeldPhoto,
  initialState,
  noBoxes,
  type State,
  type Step,
} from '../page/flow/state.ts';
import { hints } from '../ports.ts';

const ticked: Boxes = { ...noBoxes, explicitBiometricConsent: true, writtenRelease: true };
const trouble = { kind: 'offline', tries: 2 } as const;
const loading = initialState.step as Extract<Step, { name: 'loading' }>;
const consent = { name: 'consent', boxes: noBoxes, asked: false, changed: false, photo: null } as const;
const live: Extract<CameraView, { mode: 'live' }> = {
  mode: 'live',
  canSwitch: true,
  mirrored: true,
  hint: null,
  busy: false,
};
const camera = (view: CameraView): Extract<Step, { name: 'camera' }> => ({
  name: 'camera',
  boxes: ticked,
  camera: view,
  fileProblem: null,
});

/** Every step as it can be seen, by a name that an address can hold. */
export function sampleSteps(photo: HeldPhoto): Readonly<Record<string, Step>> {
  const check = { name: 'check', boxes: ticked, photo } as const;
  const sending = { name: 'sending', boxes: ticked, photo, trouble: null, tooLate: false } as const;
  const declining = { name: 'declining', key: 'key', trouble: null, back: consent } as const;
  const off = (['denied', 'none', 'busy', 'failed', 'offline'] as const).map(
    (problem) => [`camera-${problem}`, camera({ mode: 'off', problem })] as const,
  );
  const guided = hints.map((hint) => [`hint-${hint}`, camera({ ...live, hint })] as const);
  const files = (['not-a-picture', 'too-large', 'failed', 'offline'] as const).map(
    (fileProblem) => [`file-${fileProblem}`, { ...camera({ mode: 'off', problem: null }), fileProblem }] as const,
  );
  return {
    loading,
    'loading-offline': { ...loading, trouble },
    'loading-busy': { ...loading, trouble: { kind: 'busy', tries: 1 } },
    consent,
    'consent-asked': { ...consent, asked: true, boxes: { ...noBoxes, under16: true } },
    'consent-ticked': { ...consent, boxes: { ...ticked, under16: true, guardianConsent: true } },
    'consent-changed': { ...consent, changed: true, photo },
    'camera-opening': camera({ mode: 'opening' }),
    'camera-live': camera({ ...live, hint: 'unknown' }),
    'camera-good': camera(live),
    'camera-one': camera({ ...live, canSwitch: false, busy: true }),
    ...Object.fromEntries(guided),
    'camera-off': camera({ mode: 'off', problem: null }),
    ...Object.fromEntries(off),
    ...Object.fromEntries(files),
    'file-preparing': camera({ mode: 'preparing' }),
    ...Object.fromEntries(
      photoRefusals.map((refusal) => [`refused-${refusal}`, { name: 'refused', boxes: ticked, refusal }]),
    ),
    check,
    sending,
    'sending-offline': { ...sending, trouble },
    'sending-too-late': { ...sending, tooLate: true },
    declining,
    'declining-offline': { ...declining, trouble },
    'declining-unsettled': { ...declining, trouble, back: { ...sending, trouble } },
    done: { name: 'done', deleteAfter: '2026-06-20T21:00:00.000Z', tooLate: false },
    'done-too-late': { name: 'done', deleteAfter: '2026-06-20T21:00:00.000Z', tooLate: true },
    declined: { name: 'declined' },
    ...Object.fromEntries(endings.map((why) => [`ended-${why}`, { name: 'ended', why }])),
  };
}

/** A state that shows the step. Before there is a session there is nothing that it says. */
export function stateAt(step: Step, session: WidgetSession): State {
  const isBefore = step.name === 'loading' || (step.name === 'ended' && step.why !== 'exhausted');
  const attemptsLeft = step.name === 'refused' ? 3 : session.attemptsLeft;
  return { session: isBefore ? null : { ...session, attemptsLeft }, step };
}
