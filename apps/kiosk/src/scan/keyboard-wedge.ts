/** A run that did not end is dropped this long after its last key. */
const FORGET_AFTER_MS = 200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'));

/**
 * Letters choose in a list that has the focus, and a run's first one is not yet known to be a reader's; arrows and
 * blanks are a person's.
 */
const wouldChoose = ({ target, key }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.matches('select') && key.length === 1 && key !== ' ';

/**
 * Listens for a reader that types, wherever the focus is but for text fields, which take it as what it looks like:
 * typing, ended by Enter.
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

/**
 * Readers that behave as a keyboard send a character every few milliseconds; nobody types two keys within this time
 * throughout.
 */
const MAX_GAP_MS = 60;
/** Shorter than any ID worth scanning, longer than two keys hit at once. */
const MIN_CHARS = 3;
/** A personId has 200 code points at most; whatever sends more is no reader. */
const MAX_CHARS = 400;

export interface WedgeAnswer {
  /** The key belonged to a reader: nothing else on the page should see it. */
  readonly taken: boolean;
  /** What was scanned, when this key was the last of it. */
  readonly code: string | null;
}

const notTaken: WedgeAnswer = { taken: false, code: null };

/**
 * Tells a code reader that types (a «keyboard wedge») from a person who does: a quick run of characters that ends with
 * Enter or Tab is a code, wherever the focus is. Keeps a run for as long as it lasts.
 */
export class KeyboardWedge {
  #run = '';
  #lastMs = Number.NEGATIVE_INFINITY;

  /**
   * @param key as `KeyboardEvent.key` has it
   * @param atMs as `Event.timeStamp` has it
   */
  key(key: string, atMs: number): WedgeAnswer {
    const isQuick = atMs - this.#lastMs <= MAX_GAP_MS;
    if (key === 'Enter' || key === 'Tab') {
      const code = this.#run;
      this.forget();
      return isQuick && code.length >= MIN_CHARS ? { taken: true, code } : notTaken;
    }
    // Shift and its like come between characters.
    if ([...key].length !== 1) return notTaken;
    this.#lastMs = atMs;
    if (!isQuick || this.#run.length >= MAX_CHARS) {
      this.#run = key;
      return notTaken;
    }
    this.#run += key;
    return { taken: true, code: null };
  }

  /** Drops a run that nothing followed. @param nowMs on the clock of the keys */
  expire(nowMs: number): void {
    if (nowMs - this.#lastMs > MAX_GAP_MS) this.forget();
  }

  forget(): void {
    this.#run = '';
    this.#lastMs = Number.NEGATIVE_INFINITY;
  }
}
