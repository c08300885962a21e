/**
 * From here on the thread stands still for good once it has asked for the nth change of a database, while its
 * transaction is open.
 * @param onStop called right before
 */
export function stopAtChange(nth: number, onStop: () => void): void {
  // Shared memory, without which a thread can't wait; pages get it only this way or in isolation.
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
