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
