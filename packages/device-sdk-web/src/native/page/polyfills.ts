import { config } from 'zod/v4/core';

// Otherwise zod probes for `eval`, which the page's policy forbids and reports as a violation.
config({ jitless: true });

/** For WKWebView before iOS 15.4 and Chrome before 93. */
function define(target: object, name: string, value: unknown): void {
  if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

define(Object, 'hasOwn', (target: object, name: PropertyKey) => Object.hasOwn(target, name));

function at(this: ArrayLike<unknown>, index: number): unknown {
  const whole = Math.trunc(index) || 0;
  return this[whole < 0 ? whole + this.length : whole];
}
for (const { prototype } of [Array, String, Uint8Array, Float32Array]) define(prototype, 'at', at);
