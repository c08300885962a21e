/** Who wants to be told. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** @returns ends it */
  add(listener: (value: T) => void): () => void {
    // A wrapper of its own, so that a listener that is added twice is told twice and ends once.
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
