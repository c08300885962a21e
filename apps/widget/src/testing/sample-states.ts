import { type HeldToken, photoRefusals, type WidgetSession } from '@svc/protocol';
import {
  type Boxes,
  type CameraView,
  type Ending,
  endings,
  firstStep,
  type HeldPhoto,
  initialState,
  noBoxes,
  type State,
  type Step,
} from '../page/flow/state.ts';
import { hints, type Refusal } from '../ports.ts';

type Wording = Omit<WidgetSession['wording'], 'consentVersion' | 'language'>;

/** The published wordings by language. Set by the build of the gallery; nothing else shows one. */
declare const __WORDINGS__: Readonly<Record<string, Wording>>;
const wordings = typeof __WORDINGS__ === 'undefined' ? {} : __WORDINGS__;
const noWording: Wording = {
  title: 'Face check-in: your choice',
  introduction: '',
  sections: [],
  boxes: { explicitBiometricConsent: '', writtenRelease: '', under16: '', guardianConsent: '' },
  decline: 'No thanks',
  withdraw: '',
};

/** A session in a language. */
export function sampleSession(language = 'en'): WidgetSession {
  return {
    organiserName: 'Riverside Hall',
    privacyNoticeUrl: 'https://riverside.example/face-check-in-privacy',
    eventName: 'An Evening of Chamber Music',
    event: { startsAt: '2026-06-19T18:00:00.000Z', timeZone: 'Europe/Berlin', place: 'Riverside Hall, north entrance' },
    consentVersion: 'eu-v2',
    language,
    languages: ['en', 'ar', 'cs', 'da', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'sv'],
    wording: { consentVersion: 'eu-v2', language, ...(wordings[language] ?? noWording) },
    wordingSha256: '0'.repeat(64),
    photoSource: 'any',
    attemptsLeft: 5,
    expiresAt: '2026-06-19T17:30:00.000Z',
    deleteAfter: '2026-06-20T21:00:00.000Z',
    brand: null,
    preview: false,
  };
}

const ticked: Boxes = { ...noBoxes, explicitBiometricConsent: true, writtenRelease: true };
const trouble = { kind: 'offline', tries: 2 } as const;
const consent = { name: 'consent', boxes: noBoxes, asked: false, changed: false, photo: null } as const;
/** The place of the picture's face, roughly. */
const face = { x: 0.36, y: 0.24, width: 0.28, height: 0.45 };
const live: Extract<CameraView, { mode: 'live' }> = {
  mode: 'live',
  canSwitch: true,
  mirrored: true,
  guidance: { hint: null, face, held: 0.6 },
  busy: null,
};
const camera = (view: CameraView): Extract<Step, { name: 'camera' }> => ({
  name: 'camera',
  boxes: ticked,
  camera: view,
  fileProblem: null,
  automatic: true,
});

/** What the service says about a token. It does not know an incomplete one, and says nothing when it fails. */
function aboutOf(why: Ending): HeldToken | null {
  if (['incomplete', 'invalid', 'unavailable', 'failed', 'exhausted'].includes(why)) return null;
  const { organiserName, eventName, event, privacyNoticeUrl } = sampleSession();
  const state = why === 'enrolled' ? 'used' : why === 'closed' ? 'valid' : (why as HeldToken['state']);
  const deleteAfter = why === 'enrolled' ? { deleteAfter: '2026-06-20T21:00:00.000Z' } : {};
  return { organiserName, eventName, event, privacyNoticeUrl, brand: null, state, ...deleteAfter };
}

/** The faces in a photo that was refused. */
const facesOf = (refusal: Refusal) => {
  if (refusal === 'several-faces') return [face, { x: 0.76, y: 0.3, width: 0.14, height: 0.22 }];
  return refusal === 'no-face' ? [] : [face];
};

/** Every step in every state that looks different, by a name for the URL hash. */
export function sampleSteps(photo: HeldPhoto): Readonly<Record<string, Step>> {
  const good = { flaw: null, faces: [face] } as const;
  const check = { name: 'check', boxes: ticked, photo, review: good } as const;
  const sending = { name: 'sending', boxes: ticked, photo, review: good, trouble: null, tooLate: false } as const;
  const declining = { name: 'declining', key: 'key', trouble: null, back: consent } as const;
  const off = (['denied', 'none', 'busy', 'failed', 'offline'] as const).map(
    (problem) => [`camera-${problem}`, camera({ mode: 'off', problem })] as const,
  );
  const guided = hints.map((hint) => {
    const seen = hint === 'no-face' ? null : face;
    return [`hint-${hint}`, camera({ ...live, guidance: { hint, face: seen, held: 0 } })] as const;
  });
  const files = (['heic', 'format', 'too-large', 'image-invalid', 'offline'] as const).map(
    (fileProblem) => [`file-${fileProblem}`, { ...camera({ mode: 'off', problem: null }), fileProblem }] as const,
  );
  return {
    loading: firstStep,
    'loading-offline': { ...firstStep, trouble },
    'loading-busy': { ...firstStep, trouble: { kind: 'busy', tries: 1 } },
    consent,
    'consent-asked': { ...consent, asked: true, boxes: { ...noBoxes, under16: true } },
    'consent-ticked': { ...consent, boxes: { ...ticked, under16: true, guardianConsent: true } },
    'consent-changed': { ...consent, changed: true, photo },
    'camera-opening': camera({ mode: 'opening' }),
    'camera-loading': camera({ ...live, guidance: null }),
    'camera-good': camera(live),
    'camera-again': { ...camera(live), automatic: false },
    'camera-taken': camera({ ...live, canSwitch: false, busy: 'taking' }),
    ...Object.fromEntries(guided),
    'camera-off': camera({ mode: 'off', problem: null }),
    ...Object.fromEntries(off),
    ...Object.fromEntries(files),
    'file-preparing': camera({ mode: 'preparing' }),
    ...Object.fromEntries(
      ([...photoRefusals, 'format', 'too-large'] as const).map((refusal) => [
        `refused-${refusal}`,
        { name: 'refused', boxes: ticked, refusal, photo, review: { flaw: null, faces: facesOf(refusal) } },
      ]),
    ),
    check,
    'check-reviewing': { ...check, review: 'coming' },
    'check-unreviewed': { ...check, review: null },
    'check-flawed': { ...check, review: { flaw: 'turned-away', faces: [face] } },
    sending,
    'sending-offline': { ...sending, trouble },
    'sending-too-late': { ...sending, tooLate: true },
    declining,
    'declining-offline': { ...declining, trouble },
    'declining-unsettled': { ...declining, trouble, back: { ...sending, trouble } },
    done: { name: 'done', deleteAfter: '2026-06-20T21:00:00.000Z', tooLate: false },
    'done-too-late': { name: 'done', deleteAfter: '2026-06-20T21:00:00.000Z', tooLate: true },
    declined: { name: 'declined', key: 'key' },
    undoing: { name: 'undoing', key: 'key', trouble: null },
    'undoing-offline': { name: 'undoing', key: 'key', trouble },
    ...Object.fromEntries(endings.map((why) => [`ended-${why}`, { name: 'ended', why, about: aboutOf(why) }])),
  };
}

/** A state that shows the step. Steps before the session have none. */
export function stateAt(step: Step, session: WidgetSession): State {
  const isBefore = step.name === 'loading' || (step.name === 'ended' && step.why !== 'exhausted');
  const attemptsLeft = step.name === 'refused' ? 3 : session.attemptsLeft;
  // Only the camera step shows how far the engine is.
  const engine = { name: 'loading', progress: 0.4 } as const;
  return { ...initialState, engine, session: isBefore ? null : { ...session, attemptsLeft }, step };
}
