import type { FaceCore, PixelImage } from '@svc/core';
import type { ModelBundle } from '@svc/face-models';
import { expectTypeOf } from 'vitest';
import {
  createFaceAnalyser,
  createFaceEngine,
  openPassiveLiveness,
  refusalOf,
  strictestLimits,
  type TfliteRuntime,
} from './index.ts';

// Checked by `typecheck` only.
declare const parts: { readonly core: FaceCore; readonly runtime: TfliteRuntime; readonly bundle: ModelBundle };
const engine = await createFaceEngine(parts);

expectTypeOf(engine.open).parameter(0).toEqualTypeOf<PixelImage>();
expectTypeOf(engine.embed).returns.resolves.toEqualTypeOf<Float32Array>();
expectTypeOf(await openPassiveLiveness(parts)).toBeNullable();
expectTypeOf(refusalOf([], strictestLimits)).toBeNullable();

// An analyser cannot make templates.
expectTypeOf(await createFaceAnalyser(parts)).not.toHaveProperty('embed');
// @ts-expect-error an engine without its models
void createFaceEngine({ core: parts.core, runtime: parts.runtime });
