/** Listeners to one kind of event. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** @returns a function that removes the listener */
  add(listener: (value: T) => void): () => void {
    // A wrapper per call, so that a listener added twice is called twice and can be removed once.
    const own = (value: T) => listener(value);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  tell(value: T): void {
    for (const listener of [...this.#all]) listener(value);
  }

  clear(): void {
    this.#all.clear();
  }
}
