import { type HeldToken, type PhotoRefusal, photoRefusals, type WidgetSession } from '@svc/protocol';
import {
  type Boxes,
  type CameraView,
  type Ending,
  endings,
  type HeldPhoto,
  initialState,
  noBoxes,
  type State,
  type Step,
} from '../page/flow/state.ts';
import { hints } from '../ports.ts';

/** Sample wordings, as long as the real ones but with other text. */
const wordings: Readonly<Record<string, Omit<WidgetSession['wording'], 'consentVersion' | 'language'>>> = {
  en: {
    title: 'Face check-in: your choice',
    introduction:
      '{organiser} offers face check-in at the entrance. Taking part is voluntary. If you would rather not, use the standard entrance: you get in just the same, at no extra cost and without any disadvantage.',
    sections: [
      {
        heading: 'What is used',
        text: 'One photo of your face. It is turned into a face template: a set of numbers by which you can be recognised. As soon as the template is made, the photo is gone; it is never stored.',
      },
      {
        heading: 'What it is used for',
        text: 'Only to check, when you arrive, that you are the person to whom the ticket you show belongs. Your face is compared with your own template and with nobody else’s.',
      },
      {
        heading: 'Who is responsible, and who receives it',
        text: 'The controller is {organiser}. Encrypted copies of the template are held on the check-in devices at the entrance. Nobody else receives it, and it is never sold. Everything else: {privacyUrl}',
      },
      {
        heading: 'How long it is kept',
        text: 'Your face template is deleted on {deletionDate} at the latest, on the check-in devices too.',
      },
    ],
    boxes: {
      explicitBiometricConsent:
        'I explicitly consent to {organiser} having a face template made from a photo of my face and using it to recognise me at check-in.',
      writtenRelease:
        'I confirm in writing that I have read the information above, that I take part of my own free will, and that my face template may be kept until {deletionDate} at the latest.',
      under16: 'I am under 16.',
      guardianConsent:
        'I am a parent or guardian of this person. I have read the information above and consent on their behalf.',
    },
    decline: 'No thanks, I will use the standard entrance',
    withdraw:
      'You can withdraw your consent at any time, free of charge and without giving a reason: tell {organiser}, as described at {privacyUrl}.',
  },
  de: {
    title: 'Check-in per Gesichtserkennung: Sie entscheiden',
    introduction:
      '{organiser} bietet am Eingang einen Check-in per Gesichtserkennung an. Die Teilnahme ist freiwillig. Wenn Sie nicht teilnehmen möchten, nutzen Sie den normalen Eingang: Sie kommen genauso hinein, ohne Mehrkosten und ohne jeden Nachteil.',
    sections: [
      {
        heading: 'Was verwendet wird',
        text: 'Ein Foto Ihres Gesichts. Daraus wird ein Gesichtstemplate erstellt: eine Reihe von Zahlen, an denen Sie wiedererkannt werden können. Sobald das Template erstellt ist, ist das Foto weg; es wird niemals gespeichert.',
      },
      {
        heading: 'Wozu es verwendet wird',
        text: 'Ausschließlich, um bei Ihrer Ankunft zu prüfen, ob Sie die Person sind, zu der das vorgezeigte Ticket gehört. Ihr Gesicht wird mit Ihrem eigenen Template verglichen und mit keinem anderen.',
      },
      {
        heading: 'Wer verantwortlich ist und wer die Daten erhält',
        text: 'Verantwortlich ist {organiser}. Verschlüsselte Kopien des Templates liegen auf den Check-in-Geräten am Eingang. Niemand sonst erhält es, und es wird niemals verkauft. Alles Weitere: {privacyUrl}',
      },
      {
        heading: 'Wie lange es gespeichert wird',
        text: 'Ihr Gesichtstemplate wird spätestens am {deletionDate} gelöscht, auch auf den Check-in-Geräten.',
      },
    ],
    boxes: {
      explicitBiometricConsent:
        'Ich willige ausdrücklich ein, dass {organiser} aus einem Foto meines Gesichts ein Gesichtstemplate erstellen lässt und es verwendet, um mich beim Check-in wiederzuerkennen.',
      writtenRelease:
        'Ich bestätige in Textform, dass ich die Informationen oben gelesen habe, dass ich freiwillig teilnehme und dass mein Gesichtstemplate bis spätestens {deletionDate} gespeichert werden darf.',
      under16: 'Ich bin unter 16 Jahre alt.',
      guardianConsent:
        'Ich bin für diese Person sorgeberechtigt. Ich habe die Informationen oben gelesen und willige für sie ein.',
    },
    decline: 'Nein danke, ich nehme den normalen Eingang',
    withdraw:
      'Sie können Ihre Einwilligung jederzeit kostenlos und ohne Angabe von Gründen widerrufen: Wenden Sie sich an {organiser}, wie unter {privacyUrl} beschrieben.',
  },
};

/** A session in one of the samples' languages; English by default. */
export function sampleSession(wanted = 'en'): WidgetSession {
  const language = wordings[wanted] === undefined ? 'en' : wanted;
  const wording = wordings[language] as (typeof wordings)[string];
  return {
    organiserName: 'Riverside Hall',
    privacyNoticeUrl: 'https://riverside.example/face-check-in-privacy',
    eventName: 'An Evening of Chamber Music',
    consentVersion: 'eu-v2',
    language,
    languages: ['en', 'ar', 'cs', 'da', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'sv'],
    wording: { consentVersion: 'eu-v2', language, ...wording },
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
const loading = initialState.step as Extract<Step, { name: 'loading' }>;
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
  const { organiserName, eventName, privacyNoticeUrl } = sampleSession();
  const state = why === 'enrolled' ? 'used' : why === 'closed' ? 'valid' : (why as HeldToken['state']);
  const deleteAfter = why === 'enrolled' ? { deleteAfter: '2026-06-20T21:00:00.000Z' } : {};
  return { organiserName, eventName, privacyNoticeUrl, brand: null, state, ...deleteAfter };
}

/** The faces in a photo that was refused. */
const facesOf = (refusal: PhotoRefusal) => {
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
  const files = (['not-a-picture', 'heic', 'too-large', 'failed', 'offline'] as const).map(
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
      photoRefusals.map((refusal) => [
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
