import type { Platform } from './http.ts';

/** This package's version, as in its package.json. */
const version = '0.2.0';
/** Runtime name, from `navigator`; Node 20 has none. */
const runtime: { readonly navigator?: { readonly userAgent?: string } } = globalThis as object;
const userAgent = runtime.navigator?.userAgent ?? `Node.js/${process.versions.node}`;

/** The platform of Node and of any runtime with web globals. */
export const systemPlatform: Platform = {
  now: () => Date.now(),
  random: () => Math.random(),
  userAgent: `svc-server-sdk/${version} ${userAgent}`,
  newIdempotencyKey: () => crypto.randomUUID(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
