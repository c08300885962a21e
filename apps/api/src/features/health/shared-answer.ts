import type { HealthStore } from './store.ts';

/** However many ask at one time, one question is on its way: anybody may ask, and each would take a connection. */
export function sharedAnswer(store: HealthStore): HealthStore {
  let asked: Promise<boolean> | null = null;
  return {
    answers() {
      asked ??= store.answers().finally(() => {
        asked = null;
      });
      return asked;
    },
  };
}
