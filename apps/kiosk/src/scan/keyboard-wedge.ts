/** A run without an end is dropped this long after its last key. */
const FORGET_AFTER_MS = 200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'));

/**
 * Letters would select in a focused list: withheld, as a run's first letter may be a reader's. Arrows and blanks are a
 * person's.
 */
const wouldChoose = ({ target, key }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.matches('select') && key.length === 1 && key !== ' ';

/**
 * Listens for a keyboard-like code reader, wherever the focus is. Text fields take its input as typing, ended by Enter.
 * @returns stops listening
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
    // Otherwise the reader's Enter would press the focused control.
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

/** Readers send a key every few milliseconds; people do not type whole runs with gaps this short. */
const MAX_GAP_MS = 60;
/** Shorter than any useful ID, longer than two keys hit at once. */
const MIN_CHARS = 3;
/** A personId has at most 200 code points. */
const MAX_CHARS = 400;

export interface WedgeAnswer {
  /** The key came from a reader, so the page must not handle it. */
  readonly taken: boolean;
  /** The scanned code, if this key completed one. */
  readonly code: string | null;
}

const notTaken: WedgeAnswer = { taken: false, code: null };

/**
 * Tells a keyboard-like code reader (“keyboard wedge”) from a person: a quick run of characters that ends with Enter or
 * Tab is a code. Stores only the current run.
 */
export class KeyboardWedge {
  #run = '';
  #lastMs = Number.NEGATIVE_INFINITY;

  /**
   * @param key `KeyboardEvent.key`
   * @param atMs `Event.timeStamp`
   */
  key(key: string, atMs: number): WedgeAnswer {
    const isQuick = atMs - this.#lastMs <= MAX_GAP_MS;
    if (key === 'Enter' || key === 'Tab') {
      const code = this.#run;
      this.forget();
      return isQuick && code.length >= MIN_CHARS ? { taken: true, code } : notTaken;
    }
    // Shift and other modifiers come between characters.
    if ([...key].length !== 1) return notTaken;
    this.#lastMs = atMs;
    if (!isQuick || this.#run.length >= MAX_CHARS) {
      this.#run = key;
      return notTaken;
    }
    this.#run += key;
    return { taken: true, code: null };
  }

  /** Drops an unfinished run. @param nowMs on the clock of the keys */
  expire(nowMs: number): void {
    if (nowMs - this.#lastMs > MAX_GAP_MS) this.forget();
  }

  forget(): void {
    this.#run = '';
    this.#lastMs = Number.NEGATIVE_INFINITY;
  }
}
