import { Button, Icon, LoadingBar, Notice } from '@svc/ui';
import { Camera, RotateCcw } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../app/context.ts';
import { AttemptsLeft, DeclineButton, FileButton, Screen, TroubleNotice } from '../app/screen-parts.tsx';
import type { CheckStep, HeldPhoto, RefusedStep, SendingStep } from '../flow/state.ts';

/** Why the photo was refused and how to improve the next one. The camera is off while the guest reads this. */
export function RefusedScreen({ step: { refusal } }: { readonly step: RefusedStep }) {
  const { say, dispatch } = usePage();
  return (
    <Screen name="refused" title={say(`refused.${refusal}`)}>
      <Notice tone="other" title={say('refused.title')}>
        <p>{say(`refused.${refusal}-do`)}</p>
      </Notice>
      <AttemptsLeft />
      <div class="photo-ways">
        <Button kind="primary" onPress={() => dispatch({ type: 'camera-pressed' })}>
          <Icon of={Camera} />
          <span>{say('refused.camera')}</span>
        </Button>
        <FileButton />
      </div>
      <div class="ways-out">
        <DeclineButton />
      </div>
    </Screen>
  );
}

/** The photo on a canvas: without a URL that could outlive the element. */
function Preview({ photo }: { readonly photo: HeldPhoto }) {
  const { say } = usePage();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isShown = true;
    void createImageBitmap(photo.jpeg).then((picture) => {
      if (isShown) canvas.current?.getContext('2d')?.drawImage(picture, 0, 0, photo.width, photo.height);
      picture.close();
    });
    return () => {
      isShown = false;
    };
  }, [photo]);
  return (
    <canvas
      ref={canvas}
      class="preview"
      width={photo.width}
      height={photo.height}
      data-mirrored={photo.mirrored}
      role="img"
      aria-label={say('check.photo')}
    />
  );
}

/** The photo before and while it is sent. Nothing leaves the browser before the guest presses «send». */
export function CheckScreen({ step }: { readonly step: CheckStep | SendingStep }) {
  const { say, dispatch } = usePage();
  const isSending = step.name === 'sending';
  const trouble = isSending ? step.trouble : null;
  return (
    <Screen name={step.name} title={say(isSending ? 'sending.title' : 'check.title')}>
      <p>{say(isSending && step.tooLate ? 'sending.too-late' : isSending ? 'check.once' : 'check.look')}</p>
      <Preview photo={step.photo} />
      {isSending && trouble === null ? <LoadingBar /> : null}
      {isSending ? (
        <TroubleNotice trouble={trouble} explain={say('trouble.photo-kept')} />
      ) : (
        <>
          <div class="photo-ways">
            <Button kind="primary" onPress={() => dispatch({ type: 'send-pressed' })}>
              {say('check.send')}
            </Button>
            <Button onPress={() => dispatch({ type: 'retake-pressed' })}>
              <Icon of={RotateCcw} />
              <span>{say('check.retake')}</span>
            </Button>
          </div>
          <p class="muted">{say('check.once')}</p>
          <AttemptsLeft />
        </>
      )}
      {isSending && (trouble === null || step.tooLate) ? null : (
        <div class="ways-out">
          <DeclineButton />
        </div>
      )}
    </Screen>
  );
}
