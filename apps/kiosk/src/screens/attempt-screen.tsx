import type { Prompt } from '@svc/device-sdk';
import { Button, Icon, LiveRegion, ScreenFrame } from '@svc/ui';
import { ArrowLeft, Eye, User, Users } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TextKey } from '../text/index.ts';
import type { ScreenOf } from '../view-model/screen.ts';
import { useKiosk } from './context.ts';

/** Text of a prompt. */
function promptText({ key, direction }: Prompt): TextKey {
  if (key !== 'turn-head') return `attempt.${key}`;
  return direction === 'left' ? 'attempt.turn-left' : 'attempt.turn-right';
}

/** How to improve the picture, otherwise what comes next. */
function hintText(prompt: Prompt | null): TextKey | null {
  if (prompt?.hint !== undefined) return `attempt.${prompt.hint}`;
  return prompt?.next === 'light' ? 'attempt.light-next' : null;
}

/** Starts at the top, clockwise. */
const OVAL = 'M150 26A128 174 0 0 1 150 374A128 174 0 0 1 150 26';

/** Outline for the face, with a ring that shows the attempt's progress. */
function Outline({ progress }: { readonly progress: number }) {
  return (
    <svg class="outline" viewBox="0 0 300 400" aria-hidden="true">
      <path class="outline-track" d={OVAL} />
      <path class="outline-progress" d={OVAL} pathLength={1} stroke-dasharray={`${progress} 1`} />
    </svg>
  );
}

/**
 * The camera's picture in its own shape, so that no head is cut off. A narrow screen cuts off the sides, at most a
 * quarter in all.
 */
function Picture({ progress }: { readonly progress: number }) {
  const { faceVideo } = useKiosk();
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const picture = place.current;
    picture?.prepend(faceVideo);
    const takeShape = () => {
      const { videoWidth, videoHeight } = faceVideo;
      if (videoWidth > 0) picture?.style.setProperty('--ratio', String(videoWidth / videoHeight));
    };
    takeShape();
    faceVideo.addEventListener('resize', takeShape);
    return () => {
      faceVideo.removeEventListener('resize', takeShape);
      faceVideo.remove();
    };
  }, [faceVideo]);
  return (
    <div class="picture-room">
      <div class="live-picture" ref={place}>
        <Outline progress={progress} />
      </div>
    </div>
  );
}

/** The mirrored camera picture, the current prompt, and the time left. */
export function AttemptScreen({ prompt }: ScreenOf<'attempt'>) {
  const { say, locale, dispatch } = useKiosk();
  const words = say(prompt === null ? 'attempt.starting' : promptText(prompt));
  const hint = hintText(prompt);
  const hintWords = hint === null ? null : say(hint);
  const seconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'narrow' });
  return (
    <ScreenFrame name="attempt" title={say('app.title')}>
      <Picture progress={prompt?.progress ?? 0} />
      <div
        class="prompt"
        data-prompt={prompt?.key ?? 'starting'}
        data-direction={prompt?.direction}
        data-hint={prompt?.hint}
        data-light={prompt?.light}
      >
        {prompt?.key === 'turn-head' ? (
          // An absolute direction: positioned by CSS, so that right-to-left scripts do not flip it.
          <span class="prompt-arrow">
            <Icon of={ArrowLeft} />
          </span>
        ) : null}
        {prompt?.key === 'one-person-only' || prompt?.key === 'staff-confirms' ? <Icon of={Users} /> : null}
        {prompt?.key === 'step-into-view' ? <Icon of={User} /> : null}
        {prompt?.key === 'look-at-camera' || prompt?.key === 'look-back' ? <Icon of={Eye} /> : null}
        <p class="prompt-words">{words}</p>
        {hintWords === null ? null : <p class="prompt-hint">{hintWords}</p>}
      </div>
      <div class="svc-actions attempt-foot">
        {/* Not announced: users who need the remaining time can navigate to it. */}
        <p class="seconds" role="timer" aria-live="off" aria-label={say('attempt.remaining-label')}>
          {prompt === null ? '' : seconds.format(Math.ceil(prompt.remainingMs / 1000))}
        </p>
        {prompt?.key === 'staff-confirms' ? (
          <Button kind="primary" onPress={() => dispatch({ type: 'staff-confirm-pressed' })}>
            {say('attempt.confirm')}
          </Button>
        ) : null}
        <Button onPress={() => dispatch({ type: 'cancel-pressed' })}>{say('attempt.cancel')}</Button>
      </div>
      <LiveRegion urgency="assertive" text={hintWords === null ? words : `${words}. ${hintWords}`} />
    </ScreenFrame>
  );
}
