import { closeSync, openSync, writeSync } from 'node:fs';

/** Every WebAssembly memory that is made after {@link noteWasmMemories}. */
const memories = new Set<WebAssembly.Memory>();

function note(exports: WebAssembly.Exports): void {
  for (const value of Object.values(exports)) if (value instanceof WebAssembly.Memory) memories.add(value);
}

/** Call before anything is instantiated: the core and the runtimes go through these two doors. */
export function noteWasmMemories(): void {
  const { instantiate, Instance, Memory } = WebAssembly;
  WebAssembly.instantiate = (async (source: BufferSource, imports?: WebAssembly.Imports) => {
    const made = await instantiate(source, imports);
    note(made.instance?.exports ?? (made as unknown as WebAssembly.Instance).exports);
    return made;
  }) as typeof WebAssembly.instantiate;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, given) {
      const made = Reflect.construct(target, given) as WebAssembly.Instance;
      note(made.exports);
      return made;
    },
  });
  WebAssembly.Memory = new Proxy(Memory, {
    construct(target, given) {
      const made = Reflect.construct(target, given) as WebAssembly.Memory;
      memories.add(made);
      return made;
    },
  });
}

/** Writes all of them to a file, one behind the other, without a copy in this process. @returns how many there are */
export function dumpWasmMemories(path: string): number {
  const file = openSync(path, 'w', 0o600);
  for (const { buffer } of memories) {
    for (let at = 0; at < buffer.byteLength; ) at += writeSync(file, new Uint8Array(buffer), at);
  }
  closeSync(file);
  return memories.size;
}

/** Puts bytes one behind the other at the end of each of them, where nothing else is. */
export function plantInWasmMemories(planted: readonly Uint8Array[]): void {
  for (const { buffer } of memories) {
    let end = buffer.byteLength;
    for (const bytes of planted) {
      end -= bytes.length;
      new Uint8Array(buffer).set(bytes, end);
    }
  }
}
