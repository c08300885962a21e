import { useEffect, useRef } from 'preact/hooks';
import { useKiosk } from '../app/context.ts';

/** The picture of the camera that looks for codes; the camera is on for as long as this is on the screen. */
export function CodeCamera({ onCode }: { readonly onCode: (text: string) => void }) {
  const { scanner, preferences, dispatch } = useKiosk();
  const video = useRef<HTMLVideoElement>(null);
  const handler = useRef(onCode);
  handler.current = onCode;
  const camera = preferences.codeCamera;
  useEffect(() => {
    if (video.current === null) return;
    const stop = scanner.start({
      video: video.current,
      cameraId: camera === 'automatic' || camera === 'none' ? null : camera,
      onCode: (text) => handler.current(text),
      onProblem: (problem) => dispatch({ type: 'camera-changed', problem }),
    });
    return () => {
      stop();
      dispatch({ type: 'camera-changed', problem: null });
    };
  }, [scanner, camera, dispatch]);
  return (
    <div class="viewfinder">
      <video ref={video} muted playsInline tabIndex={-1} />
      <span class="viewfinder-corners" aria-hidden="true" />
    </div>
  );
}
