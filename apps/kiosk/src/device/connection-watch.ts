import type { KioskMachine } from '../view-model/state.ts';

/** Interval of checks at a door in use, and the time for an answer: together the time until a loss is shown. */
const CHECK_MS = 3_000;
const TIMEOUT_MS = 2_000;
/** Interval where no guest came and nobody touched the device for a while. */
const SELDOM_MS = 60_000;
const IN_USE_MS = 10 * 60_000;
/** Longest interval after failures, which doubles. */
const LONGEST_MS = 30_000;

/**
 * Tells the state machine when the service can no longer be reached, and when it can again. The browser reports a lost link
 * itself; a link without a service behind it is found by asking. Asks only while the page is visible and waits for a
 * ticket, so that neither an attempt nor a hidden tab costs requests.
 * @param reach whether the service can be reached now; null without a device
 */
export function watchConnection(
  machine: KioskMachine,
  reach: (signal: AbortSignal) => Promise<boolean | null>,
  { document, navigator, window }: Pick<Window, 'document' | 'navigator' | 'window'>,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let usedAtMs = performance.now();
  let failures = 0;
  let isAsking = false;
  let isSeldom = false;

  function tell(reachable: boolean): void {
    failures = reachable ? 0 : failures + 1;
    if (machine.state.reachable !== reachable) machine.dispatch({ type: 'reach-changed', reachable });
  }

  function lookAfter(delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), delayMs);
  }

  async function look(): Promise<void> {
    if (isAsking) return;
    const isIdle = machine.state.stage.name === 'door' && !document.hidden;
    if (!isIdle || !navigator.onLine) {
      if (!navigator.onLine) tell(false);
      lookAfter(CHECK_MS);
      return;
    }
    isAsking = true;
    const reachable = await reach(AbortSignal.timeout(TIMEOUT_MS)).catch(() => false);
    isAsking = false;
    if (reachable !== null) tell(reachable);
    isSeldom = performance.now() - usedAtMs >= IN_USE_MS;
    lookAfter(isSeldom ? SELDOM_MS : Math.min(LONGEST_MS, CHECK_MS * 2 ** Math.max(0, failures - 1)));
  }

  const onUse = () => {
    usedAtMs = performance.now();
    if (isSeldom) {
      isSeldom = false;
      lookAfter(0);
    }
  };
  window.addEventListener('offline', () => tell(false));
  window.addEventListener('online', () => {
    failures = 0;
    lookAfter(0);
  });
  for (const type of ['pointerdown', 'keydown']) window.addEventListener(type, onUse);
  machine.subscribe(({ stage }) => {
    if (stage.name === 'attempt') onUse();
  });
  lookAfter(CHECK_MS);
}
