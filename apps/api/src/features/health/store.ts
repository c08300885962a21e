/** A question that has no answer after this long is not joined: one that hangs must not delay the good news. */
const SHARE_MS = 250;

export interface HealthStore {
  /** Whether it answers within two seconds and takes writes. Never throws. */
  answers(): Promise<boolean>;
}

/** Calls at about the same time share one query: the endpoint is public, and each query would take a connection. */
export function sharedAnswer(store: HealthStore): HealthStore {
  let asked: { readonly atMs: number; readonly answer: Promise<boolean> } | null = null;
  return {
    answers() {
      const nowMs = performance.now();
      if (asked === null || nowMs - asked.atMs > SHARE_MS) {
        const answer = store.answers().finally(() => {
          if (asked?.answer === answer) asked = null;
        });
        asked = { atMs: nowMs, answer };
      }
      return asked.answer;
    },
  };
}
