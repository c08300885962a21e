import { KeyboardWedge } from './keyboard-wedge.ts';

/** A run that did not end is dropped this long after its last key. */
const FORGET_AFTER_MS = 200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'));

/** Letters choose in a list that has the focus, and a run's first one is not yet known to be a reader's; arrows and blanks are a person's. */
const wouldChoose = ({ target, key }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.matches('select') && key.length === 1 && key !== ' ';

/**
 * Listens for a reader that types, wherever the focus is but for text fields, which take it as what it looks like: typing, ended by Enter.
 * @returns ends it
 */
export function listenToWedge(onCode: (code: string) => void): () => void {
  const wedge = new KeyboardWedge();
  let timer = 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (isTyping(event.target) || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const { taken, code } = wedge.key(event.key, event.timeStamp);
    clearTimeout(timer);
    timer = window.setTimeout(() => wedge.expire(performance.now()), FORGET_AFTER_MS);
    if (wouldChoose(event)) event.preventDefault();
    if (!taken) return;
    // Else the reader's Enter would press whatever has the focus.
    event.preventDefault();
    event.stopPropagation();
    if (code !== null) onCode(code);
  };
  window.addEventListener('keydown', onKeyDown, { capture: true });
  return () => {
    window.removeEventListener('keydown', onKeyDown, { capture: true });
    clearTimeout(timer);
    wedge.forget();
  };
}
