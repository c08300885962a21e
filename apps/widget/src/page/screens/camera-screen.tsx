import { mediaQuery, SLOW_MS } from '@svc/page-kit';
import { Button, Icon, LiveRegion, LoadingBar, Notice } from '@svc/ui';
import { Camera, CameraOff, SwitchCamera as SwitchCameraIcon } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ovalFor } from '../../capture/guide/place.ts';
import type { EngineState, FaceBox, Guidance } from '../../ports.ts';
import type { CameraStep, CameraView } from '../flow/state.ts';
import type { TextKey } from '../text/index.ts';
import { usePage, useSession } from './context.ts';
import { AttemptsLeft, ContinueOnPhone, DeclineButton, FileButton, Screen } from './screen-parts.tsx';

type Shown = Extract<CameraView, { mode: 'opening' | 'live' }>;

/** What the camera picture tells the guest. `by-hand`: there is no guidance; `taken`: the photo is being made. */
export type CaptureStage = 'opening' | 'loading' | 'by-hand' | 'searching' | 'adjusting' | 'holding' | 'taken';

export function captureStage(camera: Shown, engine: EngineState): CaptureStage {
  if (camera.mode === 'opening') return 'opening';
  if (camera.busy === 'taking') return 'taken';
  if (engine.name === 'absent' || engine.name === 'stalled') return 'by-hand';
  if (camera.guidance === null) return 'loading';
  const { hint, face } = camera.guidance;
  if (hint === null) return 'holding';
  return face === null ? 'searching' : 'adjusting';
}

/** Text of a stage. @param automatic whether the photo is taken without the guest's press */
export function stageText(stage: CaptureStage, hint: Guidance['hint'], automatic: boolean): TextKey {
  switch (stage) {
    case 'opening':
    case 'loading':
      return 'loading.title';
    case 'by-hand':
      return 'hint.by-hand';
    case 'taken':
      return 'hint.taken';
    case 'holding':
      return automatic ? 'hint.good' : 'hint.ready';
    case 'searching':
    case 'adjusting':
      return hint === null ? 'hint.no-face' : `hint.${hint}`;
  }
}

/** How full the ring round the oval is, 0 to 1. Without an automatic photo there is nothing to wait for. */
export function ringShare(stage: CaptureStage, held: number, automatic: boolean): number {
  if (stage === 'taken') return 1;
  if (stage !== 'holding') return 0;
  return automatic ? held : 1;
}

/** The value once it has been stable for `afterMs`. */
function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}

/** A hint is shown once two analyses agree, so that it does not flicker. */
const SHOWN_AFTER_MS = 200;
/** Hints change with every movement; screen readers announce those that last this long. */
const READ_AFTER_MS = 900;

/** The engine's download has stalled, which ends nothing: the rest can be fetched. */
function EngineStalled() {
  const { say, dispatch, engine } = usePage();
  if (engine.name !== 'stalled') return null;
  return (
    <div role="alert">
      <Notice tone="other" title={say('engine.stalled')}>
        <Button onPress={() => dispatch({ type: 'engine-wanted' })}>{say('trouble.retry')}</Button>
      </Notice>
    </div>
  );
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
}
const unknownSize: PictureSize = { width: 3, height: 4 };

/** Shows the camera's element in its place. @returns its size in pixels; null before the first picture */
function useVideo(place: { readonly current: HTMLElement | null }): PictureSize | null {
  const { video, say } = usePage();
  const [size, setSize] = useState<PictureSize | null>(null);
  useEffect(() => {
    const measure = () => {
      const { videoWidth: width, videoHeight: height } = video;
      setSize(height > 0 ? { width, height } : null);
    };
    video.addEventListener('resize', measure);
    measure();
    place.current?.append(video);
    video.setAttribute('aria-label', say('camera.picture'));
    return () => {
      video.removeEventListener('resize', measure);
      video.remove();
    };
  }, [video, say, place]);
  return size;
}

const wantsStillness = () => mediaQuery('(prefers-reduced-motion: reduce)').matches;

/**
 * The outline for the face, which follows it, with the ring that fills while the face is good. In picture pixels:
 * `slice` cuts the drawing as `object-fit: cover` cuts the picture. With reduced motion it stays in the middle.
 */
function OvalOutline({
  face,
  share,
  size: { width, height },
  mirrored,
}: {
  readonly face: FaceBox | null;
  readonly share: number;
  readonly size: PictureSize;
  readonly mirrored: boolean;
}) {
  const { cx, cy, rx, ry } = ovalFor(wantsStillness() ? null : face, { width, height });
  return (
    <svg
      // Another camera: the old place means nothing in its picture.
      key={`${width} ${height}`}
      class="oval"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMidYMid slice"
      style={{
        '--unit': `${Math.min(width, height) / 100}px`,
        ...{ '--cx': `${cx}px`, '--cy': `${cy}px`, '--rx': `${rx}px`, '--ry': `${ry}px` },
      }}
      aria-hidden="true"
    >
      <mask id="around-face">
        <rect width={width} height={height} fill="#fff" />
        <ellipse class="oval-place" />
      </mask>
      <rect class="oval-shade" width={width} height={height} mask="url(#around-face)" />
      <ellipse class="oval-place oval-line" />
      <ellipse
        class="oval-place oval-ring"
        pathLength={1}
        // Clockwise, also if the drawing is mirrored. The dash repeats after 2; a negative offset fails in older Safari.
        style={{ strokeDashoffset: mirrored ? 1 + share : 1 - share }}
      />
    </svg>
  );
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

/** The camera picture with the oval and one hint. Mirrored; the photo itself is not. */
export function Stage({ camera, automatic }: { readonly camera: Shown; readonly automatic: boolean }) {
  const { say, engine } = usePage();
  const place = useRef<HTMLDivElement>(null);
  const size = useVideo(place);
  const live = camera.mode === 'live' ? camera : null;
  const { hint = null, face = null, held = 0 } = live?.guidance ?? {};
  const stage = captureStage(camera, engine);
  // The guidance goes on loading; the photo can be taken without.
  const isSlow = useSettled(stage, SLOW_MS) === 'loading' && stage === 'loading';
  const words = say(stageText(isSlow ? 'by-hand' : stage, hint, automatic));
  const shown = useSettled(words, SHOWN_AFTER_MS);
  const read = useSettled(words, READ_AFTER_MS);
  const progress = engine.name === 'loading' ? engine.progress : null;
  return (
    <div
      class="stage picture"
      style={size === null ? {} : { '--picture-ratio': String(size.width / size.height) }}
      data-stage={stage}
      data-mirrored={live?.mirrored ?? true}
    >
      <div class="live-picture" ref={place} />
      {live === null ? null : (
        <OvalOutline
          face={face}
          share={ringShare(stage, held, automatic)}
          size={size ?? unknownSize}
          mirrored={live.mirrored}
        />
      )}
      {stage === 'taken' ? <div class="shutter-flash" /> : null}
      <div class="hint">
        <p>{shown}</p>
        {stage === 'loading' && progress !== null ? (
          <div class="hint-progress" aria-hidden="true">
            <div class="hint-share" style={{ inlineSize: `${Math.round(progress * 100)}%` }} />
          </div>
        ) : null}
      </div>
      {live?.canSwitch ? <SwitchCamera busy={live.busy !== null} /> : null}
      <LiveRegion text={read} />
    </div>
  );
}

function NoPicture({ camera }: { readonly camera: Extract<CameraView, { mode: 'off' }> }) {
  const { say, dispatch } = usePage();
  const { photoSource } = useSession();
  const why = camera.problem ?? 'off';
  const [title, advice] = ((): readonly [TextKey, TextKey] => {
    if (why === 'offline') return ['trouble.offline', 'trouble.not-loaded'];
    if (photoSource === 'camera') return [`no-camera.${why}`, 'no-camera.camera-only-do'];
    return [`no-camera.${why}`, `no-camera.${why === 'off' ? 'failed' : why}-do`];
  })();
  return (
    <div class="no-picture">
      <Icon of={CameraOff} />
      <div role="alert">
        <p class="lead">{say(title)}</p>
        <p>{say(advice)}</p>
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
  const { say, dispatch, engine } = usePage();
  const { camera, fileProblem, automatic } = step;
  const isShown = camera.mode === 'live' || camera.mode === 'opening';
  const isGuided = isShown && !['opening', 'loading', 'by-hand'].includes(captureStage(camera, engine));
  const words: TextKey = isGuided && automatic ? 'camera.automatic' : 'camera.tips';
  return (
    <Screen name="camera" title={say(camera.mode === 'preparing' ? 'camera.preparing' : 'camera.title')}>
      {fileProblem === null ? null : (
        <div role="alert">
          <Notice tone="bad" title={say(fileProblem === 'offline' ? 'trouble.offline' : `refused.${fileProblem}`)}>
            <p>{say(fileProblem === 'offline' ? 'trouble.not-loaded' : `refused.${fileProblem}-do`)}</p>
          </Notice>
        </div>
      )}
      {camera.mode === 'preparing' ? <LoadingBar /> : null}
      {camera.mode === 'off' ? <NoPicture camera={camera} /> : null}
      {isShown ? <Stage camera={camera} automatic={automatic} /> : null}
      {camera.mode === 'preparing' ? null : (
        <div class="photo-controls">
          {isShown ? <Shutter camera={camera} /> : null}
          {isShown ? <EngineStalled /> : null}
          {isShown ? <p class="muted">{say(camera.mode === 'opening' ? 'camera.allow' : words)}</p> : null}
          <AttemptsLeft />
          <FileButton />
          {camera.mode === 'off' ? <ContinueOnPhone /> : null}
        </div>
      )}
      <div class="ways-out">
        <Button kind="quiet" onPress={() => dispatch({ type: 'back-pressed' })}>
          {say('trouble.back')}
        </Button>
        <DeclineButton />
      </div>
    </Screen>
  );
}
