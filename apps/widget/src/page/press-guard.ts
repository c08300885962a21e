/** A press on a screen, or an order of buttons, that appeared less than this ago was meant for the one before. */
const GUARDED_MS = 500;

/** Keeps presses meant for one screen from acting on the next. */
export interface PressGuard {
  /** Another screen appeared, or buttons changed places: nothing acts for half a second. */
  begin(): void;
}

/**
 * @param app contains every control. Meanwhile it has `data-fresh`, by which the styles let pointers through, and its
 *   controls ignore keys as well. They keep their focus and their names.
 * @param later runs an action after a time; returns a function that cancels it
 * @param nowMs the time of events
 */
export function createPressGuard(
  app: Pick<HTMLElement, 'addEventListener' | 'toggleAttribute'>,
  later: (afterMs: number, action: () => void) => () => void,
  nowMs: () => number = () => performance.now(),
): PressGuard {
  let isFresh = false;
  /** Presses before it are of the screen before, also if the page was busy and handles them late. In ms of the page. */
  let freshUntilMs = 0;
  let cancel: () => void = () => undefined;
  function set(to: boolean): void {
    isFresh = to;
    app.toggleAttribute('data-fresh', to);
  }
  // Keys arrive as clicks too. Before any listener of a control.
  app.addEventListener(
    'click',
    (event) => {
      if (!isFresh && event.timeStamp >= freshUntilMs) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  return {
    begin() {
      cancel();
      set(true);
      freshUntilMs = nowMs() + GUARDED_MS;
      cancel = later(GUARDED_MS, () => set(false));
    },
  };
}
