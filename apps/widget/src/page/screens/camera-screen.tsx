import { Button, Icon, LoadingBar, Notice } from '@svc/ui';
import { Camera, CameraOff } from 'lucide';
import { usePage, useSession } from '../app/context.ts';
import { AttemptsLeft, DeclineButton, FileButton, Screen } from '../app/screen-parts.tsx';
import type { CameraStep, CameraView } from '../flow/state.ts';
import type { TextKey } from '../text/index.ts';
import { captureStage, Stage } from './camera-stage.tsx';
import { ContinueOnPhone } from './continue-on-phone.tsx';

function NoPicture({ camera }: { readonly camera: Extract<CameraView, { mode: 'off' }> }) {
  const { say, dispatch } = usePage();
  const { photoSource } = useSession();
  const why = camera.problem ?? 'off';
  return (
    <div class="no-picture">
      <Icon of={CameraOff} />
      <div role="alert">
        <p class="lead">{say(`no-camera.${why}`)}</p>
        <p>{say(photoSource === 'camera' ? 'no-camera.camera-only-do' : `no-camera.${why}-do`)}</p>
      </div>
      <Button kind="primary" onPress={() => dispatch({ type: 'camera-pressed' })}>
        <Icon of={Camera} />
        <span>{say('camera.start')}</span>
      </Button>
    </div>
  );
}

function Shutter({ camera }: { readonly camera: Extract<CameraView, { mode: 'opening' | 'live' }> }) {
  const { say, dispatch } = usePage();
  const isReady = camera.mode === 'live' && camera.busy === null;
  return (
    <Button kind="primary" busy={!isReady} onPress={() => dispatch({ type: 'shutter-pressed' })}>
      <Icon of={Camera} />
      <span>{say('camera.shutter')}</span>
    </Button>
  );
}

/** The camera picture with hints, and every other way to a photo. */
export function CameraScreen({ step }: { readonly step: CameraStep }) {
  const { say, dispatch, link, engine } = usePage();
  const { camera, fileProblem, automatic } = step;
  const isShown = camera.mode === 'live' || camera.mode === 'opening';
  const isGuided = isShown && !['opening', 'loading', 'by-hand'].includes(captureStage(camera, engine));
  const guided: TextKey = automatic ? 'camera.automatic' : 'camera.by-hand';
  const words: TextKey = camera.mode === 'opening' ? 'camera.allow' : isGuided ? guided : 'camera.tips';
  return (
    <Screen name="camera" title={say(camera.mode === 'preparing' ? 'camera.preparing' : 'camera.title')}>
      {fileProblem === null ? null : (
        <div class="file-problem" role="alert">
          <Notice tone="bad" title={say(`file.${fileProblem}`)}>
            <p>{say(`file.${fileProblem}-do`)}</p>
          </Notice>
        </div>
      )}
      {camera.mode === 'preparing' ? <LoadingBar /> : null}
      {camera.mode === 'off' ? <NoPicture camera={camera} /> : null}
      {isShown ? <Stage camera={camera} automatic={automatic} /> : null}
      {camera.mode === 'preparing' ? null : (
        <div class="photo-controls">
          {isShown ? <Shutter camera={camera} /> : null}
          {isShown ? <p class="muted">{say(words)}</p> : null}
          <AttemptsLeft />
          <FileButton />
          {camera.mode === 'off' && link !== null ? <ContinueOnPhone link={link} /> : null}
        </div>
      )}
      <div class="ways-out">
        <Button kind="quiet" onPress={() => dispatch({ type: 'back-pressed' })}>
          {say('camera.back')}
        </Button>
        <DeclineButton />
      </div>
    </Screen>
  );
}
