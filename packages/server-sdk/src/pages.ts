/** One page of a collection. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Cursor of the next page, null after the last. */
  readonly nextCursor: string | null;
}

/** Parameters of a collection. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  /** Items in a page, 1 to 200; the service's default is 50. */
  readonly limit?: number | undefined;
}

/** A collection that is requested on use: `await` gives one page, `for await` every item of every page. */
export class Collection<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #start: string | undefined;

  constructor(fetchPage: (cursor: string | undefined) => Promise<Page<T>>, start: string | undefined) {
    this.#fetch = fetchPage;
    this.#start = start;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a collection requests one page
  then<A = Page<T>, B = never>(
    onPage?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetch(this.#start).then(onPage, onError);
  }

  /** All pages from the requested cursor on. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor = this.#start;
    do {
      const page: Page<T> = await this.#fetch(cursor);
      yield page;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }
}
