import { Button, Icon, LiveRegion, LoadingBar, Notice } from '@svc/ui';
import { Camera, CameraOff, SwitchCamera as SwitchCameraIcon } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePage, useSession } from '../app/context.ts';
import { AttemptsLeft, DeclineButton, FileButton, Screen } from '../app/screen-parts.tsx';
import type { CameraStep, CameraView } from '../flow/state.ts';
import type { TextKey } from '../text/index.ts';
import { ContinueOnPhone } from './continue-on-phone.tsx';

/** The value once it has been stable for `afterMs`, so that flickering values are not announced. */
function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}

/** Hints change with every movement; screen readers announce those that last this long. */
const HINT_SETTLES_MS = 900;

/** Text of a hint. */
export function hintText(hint: Extract<CameraView, { mode: 'live' }>['hint']): TextKey {
  if (hint === 'unknown') return 'hint.no-face';
  return hint === null ? 'hint.good' : `hint.${hint}`;
}

/** Outline for the face. */
const Oval = () => (
  <svg class="oval" viewBox="0 0 300 400" aria-hidden="true">
    <ellipse cx="150" cy="200" rx="140" ry="190" />
  </svg>
);

/** The mirrored camera picture; the photo itself is not mirrored. */
function LivePicture() {
  const { video, say } = usePage();
  const place = useRef<HTMLDivElement>(null);
  const [ratio, setRatio] = useState<number | null>(null);
  useEffect(() => {
    const measure = () => setRatio(video.videoHeight > 0 ? video.videoWidth / video.videoHeight : null);
    video.addEventListener('resize', measure);
    measure();
    place.current?.append(video);
    video.setAttribute('aria-label', say('camera.picture'));
    return () => {
      video.removeEventListener('resize', measure);
      video.remove();
    };
  }, [video, say]);
  useEffect(() => {
    if (ratio !== null) place.current?.style.setProperty('--picture-ratio', String(ratio));
  }, [ratio]);
  return <div class="live-picture" ref={place} />;
}

function SwitchCamera({ busy }: { readonly busy: boolean }) {
  const { say, dispatch } = usePage();
  return (
    <div class="switch-camera">
      <Button busy={busy} onPress={() => dispatch({ type: 'switch-pressed' })}>
        <Icon of={SwitchCameraIcon} />
        <span class="svc-visually-hidden">{say('camera.switch')}</span>
      </Button>
    </div>
  );
}

function Stage({ camera }: { readonly camera: Extract<CameraView, { mode: 'opening' | 'live' }> }) {
  const { say } = usePage();
  const hint = camera.mode === 'live' ? camera.hint : 'unknown';
  const words = say(camera.mode === 'opening' ? 'camera.opening' : hintText(hint));
  const read = useSettled(words, HINT_SETTLES_MS);
  return (
    <div
      class="stage"
      data-mode={camera.mode}
      data-hint={hint ?? 'good'}
      data-mirrored={camera.mode === 'live' && camera.mirrored}
    >
      <LivePicture />
      <Oval />
      <p class="hint">{words}</p>
      {camera.mode === 'live' && camera.canSwitch ? <SwitchCamera busy={camera.busy} /> : null}
      <LiveRegion text={read} />
    </div>
  );
}

function NoPicture({ camera }: { readonly camera: Extract<CameraView, { mode: 'off' }> }) {
  const { say, dispatch } = usePage();
  const { photoSource } = useSession();
  const why = camera.problem ?? 'off';
  return (
    <div class="stage no-picture">
      <Icon of={CameraOff} />
      <div role="alert">
        <p class="lead">{say(`no-camera.${why}`)}</p>
        <p>{say(photoSource === 'camera' ? 'no-camera.camera-only-do' : `no-camera.${why}-do`)}</p>
      </div>
      <Button onPress={() => dispatch({ type: 'camera-pressed' })}>
        <Icon of={Camera} />
        <span>{say('camera.start')}</span>
      </Button>
    </div>
  );
}

function Shutter({ camera }: { readonly camera: Extract<CameraView, { mode: 'opening' | 'live' }> }) {
  const { say, dispatch } = usePage();
  const isReady = camera.mode === 'live' && !camera.busy;
  return (
    <Button kind="primary" busy={!isReady} onPress={() => dispatch({ type: 'shutter-pressed' })}>
      <Icon of={Camera} />
      <span>{say('camera.shutter')}</span>
    </Button>
  );
}

/** The camera picture with hints, and every other way to a photo. */
export function CameraScreen({ step }: { readonly step: CameraStep }) {
  const { say, dispatch, link } = usePage();
  const { camera, fileProblem } = step;
  const isGuided = camera.mode === 'live' && camera.hint !== 'unknown';
  const words: TextKey = camera.mode === 'opening' ? 'camera.allow' : isGuided ? 'camera.automatic' : 'camera.tips';
  return (
    <Screen name="camera" title={say(camera.mode === 'preparing' ? 'camera.preparing' : 'camera.title')}>
      {fileProblem === null ? null : (
        <div role="alert">
          <Notice tone="bad" title={say(`file.${fileProblem}`)}>
            <p>{say(`file.${fileProblem}-do`)}</p>
          </Notice>
        </div>
      )}
      {camera.mode === 'preparing' ? <LoadingBar /> : null}
      {camera.mode === 'off' ? <NoPicture camera={camera} /> : null}
      {camera.mode === 'live' || camera.mode === 'opening' ? <Stage camera={camera} /> : null}
      {camera.mode === 'preparing' ? null : (
        <>
          <p class="muted">{say(words)}</p>
          <div class="photo-ways">
            {camera.mode === 'off' ? null : <Shutter camera={camera} />}
            <FileButton />
          </div>
        </>
      )}
      {camera.mode === 'off' && link !== null ? <ContinueOnPhone link={link} /> : null}
      <AttemptsLeft />
      <div class="ways-out">
        <Button kind="quiet" onPress={() => dispatch({ type: 'back-pressed' })}>
          {say('camera.back')}
        </Button>
        <DeclineButton />
      </div>
    </Screen>
  );
}
