import type { FileSystem } from '../file-system.ts';

class PowerCut extends Error {}

type Instant = 'before' | 'torn' | 'after';
interface Content {
  bytes: Uint8Array;
}

const missing = () => Object.assign(new Error('no such file'), { code: 'ENOENT' });
const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/**
 * A disk in memory: written content is durable at once, a file's name when its directory is synced. The program can be
 * killed, or the power fail, at any changing operation.
 */
export class Disk {
  /** File names as the program sees them, and as they are on the disk. */
  readonly #seen: Map<string, Content>;
  readonly #durable: Map<string, Content>;
  readonly #cutAt: number;
  readonly #how: Instant;
  operations = 0;
  #off = false;

  constructor(
    seen = new Map<string, Content>(),
    durable = seen,
    cutAt = Number.POSITIVE_INFINITY,
    how: Instant = 'before',
  ) {
    const copies = new Map<Content, Content>();
    for (const content of [...seen.values(), ...durable.values()])
      copies.set(content, { bytes: content.bytes.slice() });
    const copied = (names: Map<string, Content>) =>
      new Map([...names].map(([path, content]) => [path, copies.get(content) ?? content]));
    [this.#seen, this.#durable, this.#cutAt, this.#how] = [copied(seen), copied(durable), cutAt, how];
  }

  /** The same disk, set to fail at operation `at`. */
  thatIsCut(at: number, how: Instant): Disk {
    return new Disk(this.#seen, this.#durable, at, how);
  }

  afterKill(): Disk {
    return new Disk(this.#seen, this.#durable);
  }

  afterPowerCut(): Disk {
    return new Disk(this.#durable);
  }

  get paths(): string[] {
    return [...this.#seen.keys()];
  }

  #change(apply: () => void, tear: () => void = () => undefined): void {
    if (this.#off) throw new PowerCut();
    const cut = this.operations === this.#cutAt;
    this.operations += 1;
    if (!cut || this.#how === 'after') apply();
    else if (this.#how === 'torn') tear();
    this.#off = cut;
    if (cut) throw new PowerCut();
  }

  #put(path: string, bytes: Uint8Array): void {
    const content = this.#seen.get(path);
    if (content === undefined) this.#seen.set(path, { bytes });
    else content.bytes = bytes;
  }

  readonly fs: FileSystem = {
    read: async (path) => this.#seen.get(path)?.bytes.slice() ?? null,
    write: async (path, parts) => {
      const chunks: Uint8Array[] = [];
      for await (const part of parts) chunks.push(Uint8Array.from(part));
      const bytes = Uint8Array.from(Buffer.concat(chunks));
      this.#change(
        () => this.#put(path, bytes),
        () => this.#put(path, bytes.slice(0, bytes.length >> 1)),
      );
    },
    open: async (path) => {
      const bytes = this.#seen.get(path)?.bytes.slice();
      if (bytes === undefined) return null;
      const read = async (offset: number, length: number) => bytes.slice(offset, offset + length);
      return { byteLength: bytes.length, read, close: async () => undefined };
    },
    rename: async (from, to) =>
      this.#change(() => {
        const content = this.#seen.get(from);
        if (content === undefined) throw missing();
        this.#seen.delete(from);
        this.#seen.set(to, content);
      }),
    link: async (from, to) => {
      const content = this.#seen.get(from);
      if (content === undefined) throw missing();
      if (this.#seen.has(to)) return false;
      this.#change(() => void this.#seen.set(to, content));
      return true;
    },
    linkCount: async (path) => {
      const content = this.#seen.get(path);
      return content === undefined ? 0 : [...this.#seen.values()].filter((each) => each === content).length;
    },
    overwrite: async (path) =>
      this.#change(
        () => void this.#seen.get(path)?.bytes.fill(0),
        () => void this.#seen.get(path)?.bytes.fill(0, 0, 1),
      ),
    remove: async (path) => this.#change(() => void this.#seen.delete(path)),
    list: async (directory) =>
      this.paths.filter((path) => path.startsWith(`${directory}/`)).map((path) => path.slice(directory.length + 1)),
    makeDirectory: async () => undefined,
    syncDirectory: async (directory) =>
      this.#change(() => {
        for (const path of this.#durable.keys()) if (directoryOf(path) === directory) this.#durable.delete(path);
        for (const [path, content] of this.#seen) if (directoryOf(path) === directory) this.#durable.set(path, content);
      }),
  };
}

/** Every instant at which `action` can be interrupted, with the disk's content then. */
export async function* everyCrash(prepared: Disk, action: (fs: FileSystem) => Promise<unknown>): AsyncGenerator<Disk> {
  const whole = prepared.afterKill();
  await action(whole.fs);
  for (let at = 0; at < whole.operations; at += 1) {
    for (const how of ['before', 'torn', 'after'] as const) {
      const disk = prepared.thatIsCut(at, how);
      const error = await action(disk.fs).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof PowerCut)) throw new Error('the program went on without power', { cause: error });
      yield disk.afterKill();
      yield disk.afterPowerCut();
    }
  }
}

/** A disk on which the `failing`-th changing operation from now fails, once. */
export function failingAt(disk: Disk, failing: number): FileSystem & { readonly hasFailed: () => boolean } {
  let left = failing;
  const once =
    <Asked extends unknown[], T>(operation: (...asked: Asked) => Promise<T>) =>
    async (...asked: Asked): Promise<T> => {
      left -= 1;
      if (left === -1) throw new Error('EIO');
      return operation(...asked);
    };
  const { write, rename, link, overwrite, remove, syncDirectory } = disk.fs;
  return {
    ...disk.fs,
    ...{ write: once(write), rename: once(rename), link: once(link) },
    ...{ overwrite: once(overwrite), remove: once(remove) },
    ...{ syncDirectory: once(syncDirectory), hasFailed: () => left < 0 },
  };
}
