import { createFakeInference, type SealTask } from '@svc/api/testing';
import type { EnrolReason } from '@svc/face-engine';

/** What becomes of a photo, whatever is on it. */
export type PhotoOutcome = 'enrolled' | 'broken' | EnrolReason;

/** The service's pool without an engine: a test says what becomes of each photo, and sees which bytes came. */
export interface ScriptedInference {
  /** Of the photos to come, in order; the last one stays. */
  outcomes: PhotoOutcome[];
  /** As they were sent. */
  readonly photos: readonly Uint8Array[];
  /** While set, every photo waits for it. */
  hold: Promise<void> | null;
  create(): ReturnType<typeof createFakeInference>;
}

export function createScriptedInference(): ScriptedInference {
  const photos: Uint8Array[] = [];
  const fake = createFakeInference();
  const scripted: ScriptedInference = {
    outcomes: ['enrolled'],
    photos,
    get hold() {
      return fake.hold;
    },
    set hold(until) {
      fake.hold = until;
    },
    create() {
      const { admit } = fake;
      fake.admit = (...args) => {
        const admission = admit(...args);
        if (admission === null) return null;
        return {
          seal(task: SealTask) {
            photos.push(task.photo.slice());
            const [outcome = 'enrolled', ...later] = scripted.outcomes;
            if (later.length > 0) scripted.outcomes = later;
            return admission.seal({ ...task, photo: new TextEncoder().encode(outcome) });
          },
          release: () => admission.release(),
        };
      };
      return fake;
    },
  };
  return scripted;
}
