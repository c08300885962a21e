import { requestJson } from '@svc/api/testing';
import type { Session } from '@svc/protocol';

/** A session that began with a link, without a browser. */
export interface LinkSession {
  readonly cookie: { readonly name: string; readonly value: string };
  readonly session: Session;
  /** As the dashboard calls. @throws Error for an answer that is not 2xx */
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

/**
 * Signs in with an invitation, as its page does.
 * @throws Error when the link does not sign in
 */
export async function signInWithLink(link: string): Promise<LinkSession> {
  const { origin, hash } = new URL(link);
  const send = <T>(method: string, path: string, headers: Record<string, string>, body?: object) =>
    requestJson<T>(origin + path, {
      method,
      headers: { Origin: origin, ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const answer = await send<Session>('POST', '/v1/sign-in/link', {}, { token: hash.slice(1) });
  const pair = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const at = pair.indexOf('=');
  if (answer.status !== 200 || at < 1) throw new Error(`the link does not sign in: ${answer.status}`);
  return {
    cookie: { name: pair.slice(0, at), value: pair.slice(at + 1) },
    session: answer.body,
    async call<T>(method: string, path: string, body?: object) {
      const headers = { Cookie: pair, 'X-Csrf-Token': answer.body.csrfToken };
      const { status, body: answered } = await send<T>(method, path, headers, body);
      if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answered)}`);
      return answered;
    },
  };
}
