import type { Platform } from './http.ts';

/** Of this package, as its manifest has it. */
const version = '0.1.0';
/** Names the runtime, as `navigator` does; Node 20 has none. */
const runtime: { readonly navigator?: { readonly userAgent?: string } } = globalThis as object;
const userAgent = runtime.navigator?.userAgent ?? `Node.js/${process.versions.node}`;

/** The surroundings of Node and of any runtime with the web's globals. */
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
