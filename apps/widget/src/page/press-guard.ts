/** A press on a screen, or an order of buttons, that appeared less than this ago was meant for the one before. */
const GUARDED_MS = 500;

/**
 * Keeps presses meant for one screen from acting on the next.
 * @param app contains every control. Meanwhile it has `data-fresh`, by which the styles let pointers through, and its
 *   controls ignore keys as well. They keep their focus and their names.
 */
export function createPressGuard(app: Pick<HTMLElement, 'addEventListener' | 'toggleAttribute'>) {
  let isFresh = false;
  /** Presses before it are of the screen before, also if the page was busy and handles them late. In ms of the page. */
  let freshUntilMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
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
    /** Another screen appeared, or buttons changed places: nothing acts for half a second. */
    begin() {
      clearTimeout(timer);
      set(true);
      freshUntilMs = performance.now() + GUARDED_MS;
      timer = setTimeout(() => set(false), GUARDED_MS);
    },
  };
}
