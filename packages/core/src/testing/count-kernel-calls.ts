/** Calls of the AES-256-GCM kernel. */
export interface KernelCalls {
  gcmSeal: number;
  gcmOpen: number;
}

/**
 * Counts the calls of the AES-256-GCM kernel in each core instantiated in this realm from now on, until `stop`.
 */
export function countKernelCalls(): { readonly calls: KernelCalls; readonly stop: () => void } {
  type Exports = Readonly<Record<string, (...message: number[]) => number>>;
  type Made = { readonly instance?: { readonly exports: Exports } };
  const { WebAssembly: host } = globalThis as unknown as {
    readonly WebAssembly: { instantiate(...source: unknown[]): Promise<Made> };
  };
  const calls: KernelCalls = { gcmSeal: 0, gcmOpen: 0 };
  const { instantiate } = host;
  host.instantiate = async (...source) => {
    const made = await instantiate.apply(host, source);
    const exports = made.instance?.exports;
    if (exports?.gcmSeal === undefined) return made;
    const counted = (name: keyof KernelCalls) => ({
      [name]: (...message: number[]) => {
        calls[name] += 1;
        return exports[name]?.(...message);
      },
    });
    return { instance: { exports: { ...exports, ...counted('gcmSeal'), ...counted('gcmOpen') } as Exports } };
  };
  return {
    calls,
    stop: () => {
      host.instantiate = instantiate;
    },
  };
}
