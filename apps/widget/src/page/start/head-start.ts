/** @param baseUrl the API's address, without `/v1` @returns the address below which the guest's endpoints are */
export const guestEndpoints = (baseUrl: URL): URL => new URL('v1/widget/', `${baseUrl.href.replace(/\/+$/, '')}/`);

/** Path of the session below the guest's endpoints. @param language BCP 47; null: the browser's */
export const sessionPath = (language: string | null): string =>
  `session${language === null ? '' : `?${new URLSearchParams({ language })}`}`;

/** What every request of a guest has in common. @param token sent in a header only */
export const guestRequest = (token: string) =>
  ({
    headers: { Accept: 'application/json', Authorization: `Bearer ${token}` },
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    redirect: 'error',
  }) as const satisfies RequestInit;

/** The request for the session, sent while the page's scripts are still being fetched. */
export interface HeadStart {
  readonly url: string;
  readonly answer: Promise<Response>;
  abort(): void;
}

declare global {
  /** Left by `start.ts` for the page. */
  var svcHeadStart: HeadStart | undefined;
}

export function startSession(o: {
  readonly baseUrl: URL;
  readonly token: string;
  readonly language: string | null;
  readonly fetch?: typeof fetch;
}): HeadStart {
  const url = new URL(sessionPath(o.language), guestEndpoints(o.baseUrl)).href;
  const ended = new AbortController();
  const answer = (o.fetch ?? fetch)(url, { ...guestRequest(o.token), signal: ended.signal });
  // Whoever takes the answer learns why there is none.
  answer.catch(() => undefined);
  return { url, answer, abort: () => ended.abort() };
}

/**
 * `fetch`, whose first request gets the answer that is already under way, if that is for the same address. All others
 * are sent.
 */
export function continueFetch(headStart: HeadStart | undefined, send: typeof fetch = fetch): typeof fetch {
  let waiting = headStart;
  return (input, init) => {
    const begun = waiting;
    waiting = undefined;
    if (begun === undefined) return send(input, init);
    if (begun.url !== String(input) || init?.signal?.aborted === true) {
      begun.abort();
      return send(input, init);
    }
    init?.signal?.addEventListener('abort', begun.abort);
    return begun.answer;
  };
}
