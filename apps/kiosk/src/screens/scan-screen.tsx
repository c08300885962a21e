import { Button, Notice, ScreenFrame, TextField } from '@svc/ui';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { timeOf } from '../text/index.ts';
import { cameraText } from '../text/reasons.ts';
import { alternativeOf, type ScreenOf } from '../view-model/screen.ts';
import { useKiosk } from './context.ts';

/** The code camera, which is on while this is mounted; {@link Viewfinder} shows its picture. */
export function CodeCamera({ onCode }: { readonly onCode: (text: string) => void }) {
  const { scanner, codeVideo, preferences, dispatch } = useKiosk();
  const handler = useRef(onCode);
  handler.current = onCode;
  const camera = preferences.codeCamera;
  useEffect(() => {
    const stop = scanner.start({
      video: codeVideo,
      cameraId: camera === 'automatic' || camera === 'none' ? null : camera,
      onCode: (text) => handler.current(text),
      onProblem: (problem) => dispatch({ type: 'camera-changed', problem }),
    });
    return () => {
      stop();
      dispatch({ type: 'camera-changed', problem: null });
    };
  }, [scanner, codeVideo, camera, dispatch]);
  return null;
}

/**
 * The picture of the code camera.
 * @param isHidden the camera looks for codes, but a result fills the screen; a video outside of the page would stop
 */
export function Viewfinder({ isHidden = false }: { readonly isHidden?: boolean }) {
  const { codeVideo } = useKiosk();
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = place.current;
    own?.prepend(codeVideo);
    // Moving a video in the page pauses it.
    if (codeVideo.srcObject !== null) void codeVideo.play().catch(() => undefined);
    return () => {
      if (codeVideo.parentElement === own) codeVideo.remove();
    };
  }, [codeVideo]);
  return (
    <div
      class={isHidden ? 'svc-visually-hidden' : 'viewfinder'}
      ref={place}
      aria-hidden={isHidden ? 'true' : undefined}
    >
      {isHidden ? null : <span class="viewfinder-corners" aria-hidden="true" />}
    </div>
  );
}

/** A partly typed ID is cleared after this time. */
const FORGET_TYPED_MS = 30_000;

function TypedId() {
  const { say, dispatch } = useKiosk();
  const [open, setOpen] = useState(false);
  const [id, setId] = useState('');
  useEffect(() => {
    if (id === '') return;
    const timer = setTimeout(() => setId(''), FORGET_TYPED_MS);
    return () => clearTimeout(timer);
  }, [id]);
  if (!open) {
    return (
      <Button kind="quiet" onPress={() => setOpen(true)}>
        {say('scan.type')}
      </Button>
    );
  }
  return (
    <form
      class="stack typed-id"
      onSubmit={(event) => {
        event.preventDefault();
        setId('');
        if (id !== '') dispatch({ type: 'scanned', scannedId: id });
      }}
    >
      <TextField label={say('scan.id')} value={id} onInput={setId} takesFocus />
      <div class="svc-actions">
        <Button kind="primary" type="submit">
          {say('scan.submit')}
        </Button>
        <Button
          onPress={() => {
            setId('');
            setOpen(false);
          }}
        >
          {say('attempt.cancel')}
        </Button>
      </div>
    </form>
  );
}

/** The choice is reset after this time, so that it does not apply to the next guest. */
const FORGET_CHOICE_MS = 60_000;

/** For people who can't turn the head, if the list has an alternative. */
function WithoutTurn({ alternative, chosen }: { readonly alternative: 'staff' | 'light'; readonly chosen: boolean }) {
  const { say, dispatch } = useKiosk();
  useEffect(() => {
    if (!chosen) return;
    const timer = setTimeout(() => dispatch({ type: 'turn-chosen', withoutTurn: false }), FORGET_CHOICE_MS);
    return () => clearTimeout(timer);
  }, [chosen, dispatch]);
  const choose = (
    <Button kind="quiet" onPress={() => dispatch({ type: 'turn-chosen', withoutTurn: !chosen })}>
      {say(chosen ? 'attempt.cancel' : `scan.no-turn-${alternative}`)}
    </Button>
  );
  if (!chosen) return choose;
  return (
    <>
      <Notice tone="other" title={say(`scan.${alternative}-instead`)} />
      {alternative === 'light' ? <p>{say('scan.light')}</p> : null}
      {choose}
    </>
  );
}

/** For staff: that this door decides alone, and the last ticket that another door let in too. */
function OtherDoors({ status: { sharedAdmissions } }: Pick<ScreenOf<'scan'>, 'status'>) {
  const { say, locale } = useKiosk();
  const { sharing, conflicts } = sharedAdmissions;
  const last = conflicts.at(-1);
  const times = last && { time: timeOf(locale, last.atMs), other: timeOf(locale, last.otherAtMs), door: last.door };
  return (
    <>
      {sharing === 'alone' ? <p class="muted">{say('scan.doors-alone')}</p> : null}
      {times === undefined ? null : <p class="muted">{say('scan.two-doors', times)}</p>}
    </>
  );
}

export function ScanScreen({ status, camera, withoutTurn }: ScreenOf<'scan'>) {
  const { say, preferences } = useKiosk();
  const withCamera = preferences.codeCamera !== 'none';
  const alternative = alternativeOf(status);
  const litAnyway = status.protections.light !== 'off' && !(withoutTurn && alternative === 'light');
  return (
    <ScreenFrame name="scan" title={say('scan.title')}>
      {withCamera ? <Viewfinder isHidden={camera !== null} /> : null}
      {withCamera && camera !== null ? null : (
        <p class="lead">{say(withCamera ? 'scan.with-camera' : 'scan.with-reader')}</p>
      )}
      <div class="scan-words">
        {withCamera && camera !== null ? <Notice tone="other" title={say(cameraText(camera))} /> : null}
        {status.engineMismatch ? <Notice tone="bad" title={say('scan.mismatch')} /> : null}
        {status.attendance === 'unattended' ? <p>{say('scan.unattended')}</p> : null}
        <OtherDoors status={status} />
        <TypedId />
        {alternative === 'none' ? null : <WithoutTurn alternative={alternative} chosen={withoutTurn} />}
        {litAnyway ? <p>{say('scan.light')}</p> : null}
        <p class="muted">{say('scan.voluntary')}</p>
      </div>
    </ScreenFrame>
  );
}
