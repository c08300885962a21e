import type { PixelImage } from '@svc/core';
import { expectTypeOf } from 'vitest';
import {
  answerRequests,
  createFrameGrabber,
  listWebCameras,
  nextVideoFrame,
  openCameraStream,
  type WorkerLink,
} from './index.ts';

// Checked by `typecheck` only.
expectTypeOf(createFrameGrabber(640).grab).returns.toEqualTypeOf<PixelImage>();
expectTypeOf(listWebCameras).returns.resolves.items.toHaveProperty('deviceId');
expectTypeOf(nextVideoFrame).returns.resolves.toEqualTypeOf<'frame' | 'stalled' | 'ended'>();
expectTypeOf(openCameraStream).returns.resolves.toBeNullable();

interface Operations {
  double: { readonly ask: { readonly of: number }; readonly answer: number };
}
declare const link: WorkerLink<Operations>;
const patient = { timeoutMs: 1_000 };

expectTypeOf(link.ask('double', { of: 2 }, patient)).resolves.toBeNumber();
// @ts-expect-error an operation that the worker does not have
void link.ask('halve', { of: 2 }, patient);
// @ts-expect-error a question of another shape
void link.ask('double', { of: '2' }, patient);
// @ts-expect-error an answer of another type
answerRequests<Operations>(async () => 'two');
