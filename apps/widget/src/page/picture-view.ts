import { attempt } from '@svc/page-kit';

/** The share of the camera's picture that has to be in view when a photo is taken. */
const IN_VIEW = 0.9;
/** A page that draws no frame for so long is hidden, and its organiser's page scrolls within it or not at all. */
const PATIENCE_MS = 600;

/** {@link watchPicture} */
export type PictureView = ReturnType<typeof watchPicture>;

/**
 * Watches whether the guest sees the camera's picture.
 * @param scroll asks for the element to be scrolled into view
 */
export function watchPicture(video: HTMLVideoElement, scroll: (video: HTMLVideoElement) => void) {
  // Where no observer tells, the guest is taken at their word.
  if (attempt(() => new IntersectionObserver(() => undefined), null) === null)
    return { isShown: () => true, bring: async () => scroll(video) };
  let isShown = false;
  const isInView = (entries: IntersectionObserverEntry[]) => (entries.at(-1)?.intersectionRatio ?? 0) >= IN_VIEW;
  // Without a root it observes the window of the outermost page, also from a frame of another origin.
  const standing = new IntersectionObserver(
    (entries) => {
      isShown = isInView(entries);
    },
    { threshold: [0, IN_VIEW, 1] },
  );
  standing.observe(video);
  /** What the standing observer said last may be of before a scroll; a new one always reports once. */
  const look = (): Promise<boolean> =>
    new Promise((resolve) => {
      const once = new IntersectionObserver((entries) => end(isInView(entries)));
      const hidden = setTimeout(() => end(false), PATIENCE_MS);
      const end = (answer: boolean): void => {
        clearTimeout(hidden);
        once.disconnect();
        resolve(answer);
      };
      // A frame hears of the scroll of the page around it after the frame that shows it.
      requestAnimationFrame(() => requestAnimationFrame(() => once.observe(video)));
    });
  return {
    /** Whether nearly all of it is in view, in the organiser's page too. */
    isShown: () => isShown,
    /** Scrolls it into view if it is not. Resolves when it is shown, or when scrolling did not help. */
    async bring() {
      if (await look()) return;
      scroll(video);
      const untilMs = performance.now() + PATIENCE_MS;
      while (!(await look()) && performance.now() < untilMs);
    },
  };
}

/** Narrowest page, in root font sizes, on which picture and controls stand side by side. */
const BESIDE_REM = 34;
/** Lowest window, in root font sizes, with room for header and progress above a picture. */
const TALL_REM = 43;

/**
 * How the steps with a picture are laid out so that picture and main button are in view together.
 * @param height of the window around the page; CSS pixels, as all
 */
export function layoutFor(width: number, height: number, remPx: number) {
  return {
    picture: width >= BESIDE_REM * remPx && width > height ? 'beside' : 'above',
    view: height < TALL_REM * remPx ? 'short' : 'tall',
  } as const;
}

/** The share of a screen that a window has, if nothing else is known: browsers keep the rest for themselves. */
const WINDOW_SHARE = 0.75;

/**
 * Keeps `--view-height`, the height of the window around the page, on the root, and its layout as `data-picture` and
 * `data-view`.
 * @returns takes the height of the window around the frame, CSS pixels; until then it is an estimate
 */
export function followViewHeight(root: HTMLElement, isFramed: boolean): (px: number) => void {
  let toldPx: number | null = null;
  const apply = (): void => {
    const px = isFramed ? (toldPx ?? screen.availHeight * WINDOW_SHARE) : innerHeight;
    root.style.setProperty('--view-height', `${Math.round(px)}px`);
    const remPx = Number.parseFloat(getComputedStyle(root).fontSize);
    Object.assign(root.dataset, layoutFor(innerWidth, px, remPx));
  };
  addEventListener('resize', apply);
  apply();
  return (px) => {
    toldPx = px;
    apply();
  };
}
