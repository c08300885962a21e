import { Button, Icon, LoadingBar } from '@svc/ui';
import { RotateCcw } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { AttemptsLeft } from '../app/attempts-left.tsx';
import { usePage } from '../app/context.ts';
import { DeclineButton } from '../app/decline-button.tsx';
import { Screen } from '../app/screen.tsx';
import { TroubleNotice } from '../app/trouble-notice.tsx';
import type { CheckStep, HeldPhoto, SendingStep } from '../flow/state.ts';

/** The photo on a canvas: it has no address that anything could keep, and is gone with the element. */
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

/** The photo before it is sent, and while it is: nothing leaves the browser before «send». */
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
