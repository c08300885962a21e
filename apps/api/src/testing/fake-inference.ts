import { createNodeAead } from '@svc/core/testing/peers';
import { drawLogo } from '../inference/draw-logo.ts';
import type { Admission, InferencePool, SealTask } from '../inference/port.ts';
import { type SealPhotoParts, sealPhoto } from '../inference/seal-photo.ts';
import { ServiceError } from '../platform/errors.ts';
import { fakeEngine } from './fake-engine.ts';

export interface FakeInference extends InferencePool {
  /** Number of photos so far. */
  readonly sealed: number;
  /** While set, sealing waits for it. */
  hold: Promise<void> | null;
  /** Number of places; 0 rejects all admissions. */
  places: number;
  readonly admitted: number;
}

/** The pool's rules on a fake engine in this thread. The photo's text determines its outcome. */
export const createFakeInference = (): FakeInference => createInferenceInThread(fakeEngine);

/** The pool's rules in this thread. @param open what examines a photo */
export function createInferenceInThread(open: () => Omit<SealPhotoParts, 'aead'>): FakeInference {
  const aead = createNodeAead();
  let admitted = 0;
  let sealed = 0;
  const fake: FakeInference = {
    hold: null,
    places: 1_000,
    get sealed() {
      return sealed;
    },
    get admitted() {
      return admitted;
    },
    isReady: () => true,
    close: () => Promise.resolve(),
    async drawLogo(image) {
      if (admitted >= fake.places) throw new ServiceError('overloaded');
      return drawLogo(image);
    },
    hasRoom: () => admitted < fake.places,
    admit(): Admission | null {
      if (admitted >= fake.places) return null;
      admitted += 1;
      let held = true;
      return {
        async seal(task: SealTask) {
          sealed += 1;
          if (fake.hold !== null) await fake.hold;
          return sealPhoto({ ...open(), aead }, { ...task, listKey: task.listKey.slice() });
        },
        release() {
          if (held) admitted -= 1;
          held = false;
        },
      };
    },
  };
  return fake;
}
