/**
 * For what browsers may lack, forbid, or answer only once a person has: nothing that a page can do without stops it, and
 * nothing that it needs is waited for without a word.
 */

/** The value, or another one where the browser lacks what `ask` uses, or forbids it. */
export function attempt<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}

/** As {@link attempt} for an answer that comes later, if at all: the other value also after this time. Never rejects. */
export function attemptSoon<T>(
  ask: () => PromiseLike<T>,
  otherwise: T,
  withinMs = 2_000,
  /** Gives back what comes after that time, such as a lock. */
  late: (value: T) => void = () => undefined,
): Promise<T> {
  const answer = (async () => ask())();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve(otherwise);
      answer.then(late, () => undefined);
    }, withinMs);
    answer.then(resolve, () => resolve(otherwise)).finally(() => clearTimeout(timer));
  });
}

/** The time after which a page says what it waits for. */
export const SLOW_MS = 6_000;

/**
 * The step itself, which may take as long as it likes.
 * @param tell called with true once it is slow, and then with false when it has ended
 */
export async function tellIfSlow<T>(step: Promise<T>, tell: (isSlow: boolean) => void): Promise<T> {
  let isTold = false;
  const timer = setTimeout(() => {
    isTold = true;
    tell(true);
  }, SLOW_MS);
  try {
    return await step;
  } finally {
    clearTimeout(timer);
    if (isTold) tell(false);
  }
}

/** The browser's storage; where it is missing, forbidden or full, nothing is kept, and nothing fails. */
export const pageStorage = {
  getItem: (name: string) => attempt(() => localStorage.getItem(name), null),
  setItem: (name: string, value: string) => attempt(() => localStorage.setItem(name, value), undefined),
  removeItem: (name: string) => attempt(() => localStorage.removeItem(name), undefined),
  names: (): readonly string[] => attempt(() => Object.keys(localStorage), []),
};

type MediaQuery = Pick<MediaQueryList, 'matches' | 'addEventListener'>;

/** A media query; one that never matches where the browser has none. */
export const mediaQuery = (query: string): MediaQuery =>
  attempt<MediaQuery>(() => matchMedia(query), { matches: false, addEventListener: () => undefined });

/** A random UUID, also where the browser makes none itself: before 2022, or without a secure connection. */
export function newUuid(): string {
  const given = attempt(() => crypto.randomUUID(), null);
  if (given !== null) return given;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  // Version 4, variant 8 (RFC 9562, section 5.4).
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Calls back when an element changes its size; where the browser does not tell, when the window does. @returns ends that */
export function watchSize(element: Element, onSize: () => void): () => void {
  const observer = attempt(() => new ResizeObserver(onSize), null);
  observer?.observe(element);
  if (observer !== null) return () => observer.disconnect();
  addEventListener('resize', onSize);
  onSize();
  return () => removeEventListener('resize', onSize);
}
