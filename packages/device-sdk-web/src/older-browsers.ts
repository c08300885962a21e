/**
 * Adds what browsers before 2022 lack and pages with a device use: `Object.hasOwn` (Chrome 93, Safari 15.4), and of
 * `AbortSignal` `timeout` (Chrome 103, Safari 16) and `any` (Chrome 116, Safari 17.4). A page for such browsers imports
 * `@svc/device-sdk-web/older-browsers` before anything else; where nothing is missing it changes nothing.
 */
export {};

Object.hasOwn ??= (object: object, key: PropertyKey): boolean => {
  if (object === null || object === undefined) throw new TypeError('null and undefined have no properties');
  return Reflect.getOwnPropertyDescriptor(Object(object), key) !== undefined;
};

AbortSignal.timeout ??= (ms: number): AbortSignal => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new DOMException('the time is over', 'TimeoutError')), ms);
  return controller.signal;
};

AbortSignal.any ??= (signals: Iterable<AbortSignal>): AbortSignal => {
  const controller = new AbortController();
  for (const signal of signals) {
    const follow = () => controller.abort(signal.reason);
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true, signal: controller.signal });
  }
  return controller.signal;
};
