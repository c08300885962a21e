/**
 * What the page tells its service worker: nobody is in the middle of anything, so a new version may take over; or it
 * runs, so old files may go.
 */
export type PageMessage = 'take-over' | 'started';

const LOOK_EVERY_MS = 60 * 60_000;

const tell = (worker: ServiceWorker | null, message: PageMessage): void => worker?.postMessage(message);

export interface OfflineParts {
  /** Whether the page may be loaded anew now. */
  readonly isIdle: () => boolean;
  /** Called with what to do each time the page may have become idle. @returns ends it */
  readonly onChange: (check: () => void) => () => void;
  readonly reload: () => void;
}

/**
 * Makes the page work without a network, and keeps it current: a new version is fetched beside the running one and
 * takes over, with a reload, only while nobody is before the camera. The page holds nothing that a reload could lose.
 * @param script address of the service worker
 */
export async function keepCurrent(script: string, { isIdle, onChange, reload }: OfflineParts): Promise<void> {
  const { serviceWorker } = navigator as { readonly serviceWorker?: ServiceWorkerContainer };
  if (serviceWorker === undefined) return;
  // The first version ever takes over a page that is already its own; only the ones after it replace anything.
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
  setInterval(() => void registered.update().catch(() => undefined), LOOK_EVERY_MS);
}
