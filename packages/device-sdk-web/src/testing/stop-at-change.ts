/**
 * Makes the thread stop permanently after its nth change of a database, while the transaction is open.
 * @param onStop called immediately before
 */
export function stopAtChange(nth: number, onStop: () => void): void {
  // Shared memory, which waiting requires; pages without isolation get it only this way.
  const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  let changes = 0;
  for (const name of ['put', 'delete', 'clear'] as const) {
    const change = IDBObjectStore.prototype[name] as (...args: unknown[]) => IDBRequest;
    IDBObjectStore.prototype[name] = function (this: IDBObjectStore, ...args: unknown[]) {
      const request = change.apply(this, args);
      changes += 1;
      if (changes === nth) {
        onStop();
        Atomics.wait(new Int32Array(buffer), 0, 0);
      }
      return request;
    } as never;
  }
}
