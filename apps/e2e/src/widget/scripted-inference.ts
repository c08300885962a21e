import { createFakeInference, type SealTask } from '@svc/api/testing';
import type { EnrolReason } from '@svc/face-engine';

/** The result of a photo, whatever it shows. */
export type PhotoOutcome = 'enrolled' | 'broken' | EnrolReason;

/** The service's pool without an engine: a test sets the result of each photo, and reads the bytes that came. */
export interface ScriptedInference {
  /** Results of the next photos, in order; the last one is repeated. */
  outcomes: PhotoOutcome[];
  /** The photos as they were sent. */
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
