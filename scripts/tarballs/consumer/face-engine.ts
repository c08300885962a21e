import { equal, ok } from 'node:assert/strict';
import { createFaceEngine, type EnrolResult } from '@svc/face-engine';
import { openModelBundleAt } from '@svc/face-engine/browser';
import { createNodeFaceEngine } from '@svc/face-engine/node';

export async function use(): Promise<void> {
  const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });
  const frame = { data: new Uint8Array(64 * 64 * 3), width: 64, height: 64, channels: 3 } as const;
  const enrolled: EnrolResult = await engine.enrol(frame);
  equal(enrolled.ok ? null : enrolled.reason, 'no-face');
  engine.dispose();
  runtime.dispose();
  ok(typeof createFaceEngine === 'function' && typeof openModelBundleAt === 'function');
}
