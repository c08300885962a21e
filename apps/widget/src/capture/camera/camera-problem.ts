import { CameraError, type CameraProblem } from '../../ports.ts';

/** Names of what getUserMedia rejects with (Media Capture and Streams, section 10.3), some browsers' own among them. */
const problems: Readonly<Record<string, CameraProblem>> = {
  NotAllowedError: 'denied',
  // The page around may not use the camera, or the whole browser may not.
  SecurityError: 'denied',
  NotFoundError: 'none',
  OverconstrainedError: 'none',
  NotReadableError: 'busy',
  // Firefox: the system gave no reason.
  AbortError: 'busy',
};

/** What a browser says about a camera that does not open, as the page tells it. */
export function cameraErrorOf(cause: unknown): CameraError {
  if (cause instanceof CameraError) return cause;
  const name = cause instanceof Error || cause instanceof DOMException ? cause.name : '';
  return new CameraError(problems[name] ?? 'failed', { cause });
}
