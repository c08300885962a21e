import { Button, Icon, Notice } from '@svc/ui';
import { Camera, CircleCheck, RotateCcw } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { ovalFor } from '../../capture/guide/place.ts';
import { decodePicture } from '../../capture/photo/decode-picture.ts';
import type { FaceBox, PhotoFlaw, Refusal } from '../../ports.ts';
import type { CheckStep, HeldPhoto, RefusedStep, Reviewed, SendingStep } from '../flow/state.ts';
import { usePage } from './context.ts';
import { AttemptsLeft, DeclineButton, FileButton, Screen, Waiting } from './screen-parts.tsx';

const UNREADABLE: ReadonlySet<Refusal> = new Set(['image-invalid', 'format', 'too-large']);

/** Where in the photo the problem is: the face, the other faces, or none that can be shown. */
export function problemFaces(flaw: Refusal | null, review: Reviewed): readonly FaceBox[] {
  if (flaw === null || UNREADABLE.has(flaw) || review === null || review === 'coming') return [];
  return flaw === 'several-faces' ? review.faces.slice(1) : review.faces.slice(0, 1);
}

/** Marks the problem in the photo, which the text beside it names. */
function Marks({
  photo: { width, height },
  flaw,
  review,
}: {
  readonly photo: HeldPhoto;
  readonly flaw: Refusal;
  readonly review: Reviewed;
}) {
  const empty = flaw === 'no-face' ? ovalFor(null, { width, height }) : null;
  return (
    <svg
      class="marks"
      viewBox={`0 0 ${width} ${height}`}
      style={{ '--unit': `${Math.min(width, height) / 100}px` }}
      aria-hidden="true"
    >
      {problemFaces(flaw, review).map((face) => (
        <rect
          key={`${face.x} ${face.y}`}
          x={face.x * width}
          y={face.y * height}
          width={face.width * width}
          height={face.height * height}
          rx={(face.width * width) / 6}
        />
      ))}
      {empty === null ? null : <ellipse {...empty} />}
    </svg>
  );
}

/**
 * The pixels of the JPEG that is sent, on a canvas: without a URL that could outlive the element. Mirrored like the
 * camera picture, by a transform of the display.
 */
function Preview({
  photo,
  flaw = null,
  review,
}: {
  readonly photo: HeldPhoto;
  readonly flaw?: Refusal | null;
  readonly review: Reviewed;
}) {
  const { say } = usePage();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isShown = true;
    decodePicture(photo.jpeg).then(
      (picture) => {
        if (isShown) canvas.current?.getContext('2d')?.drawImage(picture.source, 0, 0, photo.width, photo.height);
        picture.close();
      },
      // The service will say that it is not a picture.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [photo]);
  return (
    <div
      class="preview picture"
      style={{ '--picture-ratio': String(photo.width / photo.height) }}
      data-mirrored={photo.mirrored}
    >
      <canvas
        ref={canvas}
        width={photo.width}
        height={photo.height}
        data-mirrored={photo.mirrored}
        role="img"
        aria-label={say('page.step-camera')}
      />
      {flaw === null ? null : <Marks photo={photo} flaw={flaw} review={review} />}
    </div>
  );
}

/** Why the photo was refused and how to improve the next one. The camera is off while the guest reads this. */
export function RefusedScreen({ step: { refusal, photo, review } }: { readonly step: RefusedStep }) {
  const { say, dispatch } = usePage();
  return (
    <Screen name="refused" title={say(`refused.${refusal}`)}>
      <Preview photo={photo} flaw={refusal} review={review} />
      <div class="photo-controls">
        <Notice tone="other" title={say('refused.title')}>
          <p>{say(`refused.${refusal}-do`)}</p>
        </Notice>
        <Button kind="primary" onPress={() => dispatch({ type: 'camera-pressed' })}>
          <Icon of={Camera} />
          <span>{say('check.retake')}</span>
        </Button>
        <AttemptsLeft />
        <FileButton />
      </div>
      <div class="ways-out">
        <DeclineButton />
      </div>
    </Screen>
  );
}

const flawOf = (review: Reviewed): PhotoFlaw | null => (review === null || review === 'coming' ? null : review.flaw);

/** Another photo is advised: its button comes before the one that sends. */
export const isRetakeFirst = (review: Reviewed): boolean => flawOf(review) !== null;

/** What the engine on this page thinks of the photo. Advice: any photo can be sent. */
function ReviewNotice({ review }: { readonly review: Reviewed }) {
  const { say } = usePage();
  const flaw = flawOf(review);
  return (
    <div class="review" role="status">
      {review === 'coming' ? <p class="muted">{say('check.reviewing')}</p> : null}
      {review === null ? <p>{say('check.look')}</p> : null}
      {flaw === null ? null : (
        <Notice tone="other" title={say(`refused.${flaw}`)}>
          <p>{say(`refused.${flaw}-do`)}</p>
          <p>{say('check.may-fail')}</p>
        </Notice>
      )}
      {review !== null && review !== 'coming' && flaw === null ? (
        <p class="review-good">
          <Icon of={CircleCheck} />
          <span>{say('check.good')}</span>
        </p>
      ) : null}
    </div>
  );
}

/** The photo before and while it is sent. Nothing leaves the browser before the guest presses “send”. */
export function CheckScreen({ step }: { readonly step: CheckStep | SendingStep }) {
  const { say, dispatch } = usePage();
  const { photo, review } = step;
  const sending = step.name === 'sending' ? step : null;
  const flaw = flawOf(review);
  const [sendKind, retakeKind] =
    flaw === null ? (['primary', 'secondary'] as const) : (['secondary', 'primary'] as const);
  const send = (
    <Button key="send" kind={sendKind} onPress={() => dispatch({ type: 'send-pressed' })}>
      {say(flaw === null ? 'check.send' : 'check.send-anyway')}
    </Button>
  );
  const retake = (
    <Button key="retake" kind={retakeKind} onPress={() => dispatch({ type: 'retake-pressed' })}>
      <Icon of={RotateCcw} />
      <span>{say('check.retake')}</span>
    </Button>
  );
  return (
    <Screen name={step.name} title={say(sending === null ? 'check.title' : 'sending.title')}>
      <Preview photo={photo} flaw={sending === null ? flaw : null} review={review} />
      {sending === null ? (
        <div class="photo-controls">
          <ReviewNotice review={review} />
          {flaw === null ? [send, retake] : [retake, send]}
          <p class="muted">{say('check.once')}</p>
          <AttemptsLeft />
        </div>
      ) : (
        <div class="photo-controls">
          <p>{say(sending.tooLate ? 'sending.too-late' : 'check.once')}</p>
          <Waiting trouble={sending.trouble} explain={say('trouble.photo-kept')} />
        </div>
      )}
      {sending !== null && (sending.trouble === null || sending.tooLate) ? null : (
        <div class="ways-out">
          <DeclineButton />
        </div>
      )}
    </Screen>
  );
}
