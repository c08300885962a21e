import '../../older-browsers.ts';
import { config } from 'zod/v4/core';

// Otherwise zod probes for `eval`, which the page's policy forbids and reports as a violation.
config({ jitless: true });

/** For WKWebView before iOS 15.4 and Chrome before 92. */
function at(this: ArrayLike<unknown>, index: number): unknown {
  const whole = Math.trunc(index) || 0;
  return this[whole < 0 ? whole + this.length : whole];
}
for (const { prototype } of [Array, String, Uint8Array, Float32Array]) {
  if (!('at' in prototype)) Object.defineProperty(prototype, 'at', { value: at, configurable: true, writable: true });
}
