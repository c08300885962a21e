/**
 * Messages to the service worker: `take-over`, the page is idle and a new version may replace it; `started`, at the
 * start and every hour, the page runs: old files may be deleted, and its headers are fetched again.
 */
export type PageMessage = 'take-over' | 'started';

const LOOK_EVERY_MS = 60 * 60_000;

const tell = (worker: ServiceWorker | null, message: PageMessage): void => worker?.postMessage(message);

export interface OfflineParts {
  /** Whether the page may be reloaded now. */
  readonly isIdle: () => boolean;
  /** Calls `check` when the page may have become idle. @returns a function that removes the listener */
  readonly onChange: (check: () => void) => () => void;
  readonly reload: () => void;
}

/**
 * Makes the page work offline and keeps it current. A new version is fetched in the background and takes over, with a
 * reload, only while the kiosk is idle, so a reload loses nothing.
 * @param script address of the service worker
 */
export async function keepCurrent(script: string, { isIdle, onChange, reload }: OfflineParts): Promise<void> {
  const { serviceWorker } = navigator as { readonly serviceWorker?: ServiceWorkerContainer };
  if (serviceWorker === undefined) return;
  // The very first version takes over without replacing another; later ones require a reload.
  let isControlled = serviceWorker.controller !== null;
  let isReplaced = false;
  let registration: ServiceWorkerRegistration | null = null;

  const check = () => {
    if (!isIdle()) return;
    if (isReplaced) reload();
    else if (isControlled) tell(registration?.waiting ?? null, 'take-over');
  };
  serviceWorker.addEventListener('controllerchange', () => {
    isReplaced = isControlled;
    isControlled = true;
    check();
  });
  const registered = await serviceWorker.register(script, { updateViaCache: 'none' });
  registration = registered;
  tell(serviceWorker.controller, 'started');
  registered.addEventListener('updatefound', () => {
    const { installing } = registered;
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed') check();
    });
  });
  onChange(check);
  check();
  setInterval(() => {
    tell(serviceWorker.controller, 'started');
    void registered.update().catch(() => undefined);
  }, LOOK_EVERY_MS);
}

/** What the first visit waits for at most until it loads its engine: its other files come first, however slowly. */
const CONTROL_MS = 10 * 60_000;

/**
 * Waits until the service worker answers the page's requests, so that it keeps what the engine loads. Resolves at once
 * where there is none, where it is bypassed (a forced reload), and when its files cannot be stored.
 * @param registered what {@link keepCurrent} returned
 */
export async function whenKept(registered: Promise<void>): Promise<void> {
  const { serviceWorker } = navigator as { readonly serviceWorker?: ServiceWorkerContainer };
  await registered.catch(() => undefined);
  const registration = await serviceWorker?.getRegistration().catch(() => undefined);
  if (serviceWorker === undefined || registration === undefined || serviceWorker.controller !== null) return;
  if (registration.active?.state === 'activated') return;
  await new Promise<void>((resolve) => {
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true });
    registration.installing?.addEventListener('statechange', ({ target }) => {
      if ((target as ServiceWorker).state === 'redundant') resolve();
    });
    setTimeout(resolve, CONTROL_MS);
  });
}
