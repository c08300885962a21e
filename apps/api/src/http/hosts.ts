import type { RequestHandler } from 'express';
import { ServiceError } from '../platform/errors.ts';

/** What a host answers: pages below a path, and operations of the API. */
const hosts = {
  api: { pages: ['/docs', '/manual'], operations: /^\/(?!v1\/(session|sign-in)(\/|$))/ },
  dashboard: { pages: ['/dashboard'], operations: /^\/v1\/(?!(device|packs|widget)\/)/ },
  kiosk: { pages: ['/kiosk'], operations: /^\/(v1\/(device|packs)\/|healthz$)/ },
  widget: { pages: ['/widget'], operations: /^\/v1\/widget\// },
} as const;
type Role = keyof typeof hosts;
const roles = Object.keys(hosts) as Role[];

/** @param host `Host`: what a proxy says besides it, a caller can say too */
const hostNameOf = (host = '') => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '');

/**
 * Lets each host answer for itself alone, so that a fault in one page reaches neither the storage nor the cookies of
 * another. A page that is asked for at another of these hosts is redirected to its own, where browsers keep the fragment
 * with its token; everything else of another host is not found. Cookies count at the dashboard's host. A name that is
 * none of these, such as an address of a health check, is the API's, without redirects: behind a proxy that replaces
 * `Host` they would lead back.
 * @param urls with host names that differ, since cookies do not tell ports apart; null: that page is not served
 * @param loader sends `widget.js` at every host but the widget's: it cannot see that it was redirected
 */
export function separateHosts(urls: Readonly<Record<Role, string | null>>, loader: RequestHandler): RequestHandler {
  const urlOf = (role: Role) => (urls[role] === null ? null : new URL(urls[role]));
  const roleOf = new Map(roles.map((role) => [urlOf(role)?.hostname, role]));
  return (request, response, next) => {
    const { method, path } = request;
    const named = roleOf.get(hostNameOf(request.headers.host));
    const role = named ?? 'api';
    if (role !== 'dashboard') delete request.headers.cookie;
    const owner = roles.find((each) => hosts[each].pages.some((page) => `${path}/`.startsWith(`${page}/`)));
    if (owner === undefined ? hosts[role].operations.test(path) : owner === role) return next();
    const origin = named && owner && urlOf(owner)?.origin;
    if (method === 'GET' || method === 'HEAD') {
      if (path === '/') return response.redirect(308, `${hosts[role].pages[0]}/`);
      if (path === '/widget/widget.js') return loader(request, response, next);
      if (origin !== undefined) return response.redirect(308, origin + path + (/\?.*/s.exec(request.url)?.[0] ?? ''));
    }
    throw new ServiceError('not-found', { detail: 'Not served at this host name. A proxy must forward Host.' });
  };
}
