import type { SeededRandom } from '@svc/api/testing';
import type { FileSystem } from '@svc/durable-fs';

/** Where a program ends relative to an operation: before, in the middle, or right after. */
export type CutInstant = 'before' | 'torn' | 'after';

/** What ends: the program only, or the power, which loses names whose directory was not synced. */
export type CutKind = 'kill' | 'power';

export class DiskError extends Error {
  override readonly name = 'DiskError';
}

interface Content {
  bytes: Uint8Array;
}

/** A directory change that is not on the disk yet. */
interface Pending {
  readonly directory: string;
  readonly apply: (entries: Map<string, Content>) => void;
}

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

/**
 * A device's disk with the guarantees that the SDK's file stores rely on: content is durable once `write` has resolved,
 * names once their directory was synced. It can be cut off at any operation, be full, fail at random, and rot.
 */
export class SimulatedDisk {
  readonly #random: SeededRandom;
  /** Names as seen by the program, and as stored on the disk. */
  #seen = new Map<string, Content>();
  #durable = new Map<string, Content>();
  #pending: Pending[] = [];
  /** Content of deleted files, which a disk keeps until it is overwritten. */
  readonly #remnants: Uint8Array[] = [];
  #cut: { at: number; readonly instant: CutInstant; readonly kind: CutKind } | null = null;
  #mounted = 0;
  #isOff = false;
  #hasFailed = false;
  /** No content can be written; names can still change. */
  isFull = false;
  /** Probability with which an operation fails. */
  failures = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get isHealthy(): boolean {
    return !this.isFull && this.failures === 0;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  /** Ends the program or the power at the `at`-th changing operation from now. */
  cutAt(at: number, instant: CutInstant, kind: CutKind): void {
    this.#cut = { at, instant, kind };
  }

  /** The cut was not reached. */
  forgetCut(): void {
    this.#cut = null;
  }

  /** Earlier mounts are cut off, as their program is. */
  mount(): FileSystem {
    this.#mounted += 1;
    if (this.#isOff && this.#cut?.kind === 'power') this.#losePending();
    this.#cut = null;
    this.#isOff = false;
    return this.#fileSystem(this.#mounted);
  }

  /** The program or the power ends between two operations. */
  switchOff(kind: CutKind): void {
    this.#isOff = true;
    this.#cut = { at: 0, instant: 'before', kind };
  }

  /** Paths and contents as found by somebody who takes the disk out. */
  files(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.#seen].map(([path, { bytes }]) => [path, bytes]));
  }

  /** Where bytes lie on the disk: a path, or deleted space; null if nowhere. */
  find(bytes: Uint8Array): string | null {
    const named = [...this.#durable, ...this.#seen].map(([path, content]) => [path, content.bytes] as const);
    const nameless = this.#remnants.map((place) => ['a place without a name', place] as const);
    const found = [...named, ...nameless].find(([, place]) => Buffer.from(place).includes(Buffer.from(bytes)));
    return found?.[0] ?? null;
  }

  /** Flips a bit of a file. @returns false if no file matches */
  rot(isMeant: (path: string) => boolean): boolean {
    const contents = [...this.#seen].filter(([path, { bytes }]) => isMeant(path) && bytes.length > 0);
    const [first, ...rest] = contents;
    if (first === undefined) return false;
    const [, content] = this.#random.pick([first, ...rest]);
    const at = this.#random.between(0, content.bytes.length - 1);
    content.bytes = content.bytes.map((byte, i) => (i === at ? byte ^ (1 << this.#random.between(0, 7)) : byte));
    return true;
  }

  /** Writes a prefix of the pending name changes, in order, as a journalling file system does. */
  #losePending(): void {
    const kept = this.#random.between(0, this.#pending.length);
    for (const { apply } of this.#pending.slice(0, kept)) apply(this.#durable);
    this.#pending = [];
    this.#seen = new Map(this.#durable);
  }

  /** Excludes what a program could not overwrite because the disk failed. */
  #leave(bytes: Uint8Array): void {
    if (!this.#hasFailed && !isZero(bytes)) this.#remnants.push(bytes);
  }

  #changeNames(directory: string, apply: Pending['apply']): void {
    apply(this.#seen);
    this.#pending.push({ directory, apply });
  }

  #require(mounted: number): void {
    if (this.#isOff || mounted !== this.#mounted) throw new DiskError('the power is off');
    if (this.failures === 0 || !this.#random.chance(this.failures)) return;
    this.#hasFailed = true;
    throw new DiskError('the disk failed');
  }

  /** One changing operation; decides whether the cut comes here. */
  #change(mounted: number, apply: () => void, tear: () => void): void {
    this.#require(mounted);
    const cut = this.#cut;
    if (cut === null || cut.at > 0) {
      if (cut !== null) cut.at -= 1;
      apply();
      return;
    }
    if (cut.instant === 'after') apply();
    else if (cut.instant === 'torn') tear();
    this.#isOff = true;
    throw new DiskError('the power is off');
  }

  #put(path: string, bytes: Uint8Array): void {
    const content = this.#seen.get(path);
    if (content === undefined) {
      const made = { bytes };
      this.#changeNames(directoryOf(path), (entries) => void entries.set(path, made));
    } else {
      this.#leave(content.bytes);
      content.bytes = bytes;
    }
  }

  #fileSystem(mounted: number): FileSystem {
    const nothing = () => undefined;
    return {
      read: async (path) => {
        this.#require(mounted);
        const content = this.#seen.get(path);
        return content === undefined ? null : Uint8Array.from(content.bytes);
      },
      write: async (path, parts) => {
        const chunks: Uint8Array[] = [];
        for await (const part of parts) chunks.push(Uint8Array.from(part));
        const bytes = Uint8Array.from(Buffer.concat(chunks));
        const part = bytes.slice(0, this.#random.between(0, bytes.length));
        if (this.isFull) {
          this.#change(mounted, () => this.#put(path, part), nothing);
          throw new DiskError('the disk is full');
        }
        this.#change(
          mounted,
          () => this.#put(path, bytes),
          () => this.#put(path, part),
        );
      },
      open: async (path) => {
        this.#require(mounted);
        const content = this.#seen.get(path);
        if (content === undefined) return null;
        let isOpen = true;
        return {
          byteLength: content.bytes.length,
          read: async (offset, length) => {
            this.#require(mounted);
            const bytes = content.bytes.slice(offset, offset + length);
            if (!isOpen || bytes.length < length) throw new DiskError('no such range');
            return bytes;
          },
          close: async () => {
            isOpen = false;
          },
        };
      },
      rename: async (from, to) => {
        const content = this.#seen.get(from);
        if (content === undefined) {
          this.#require(mounted);
          throw Object.assign(new DiskError('no such file'), { code: 'ENOENT' });
        }
        const apply = () => {
          const replaced = this.#seen.get(to);
          if (replaced !== undefined) this.#leave(replaced.bytes);
          this.#changeNames(directoryOf(to), (entries) => {
            entries.delete(from);
            entries.set(to, content);
          });
        };
        this.#change(mounted, apply, nothing);
      },
      // The device's stores make no links.
      link: async () => {
        throw new DiskError('no links');
      },
      linkCount: async (path) => (this.#seen.has(path) ? 1 : 0),
      overwrite: async (path) => {
        const content = this.#seen.get(path);
        this.#change(
          mounted,
          () => content?.bytes.fill(0),
          () => content?.bytes.fill(0, 0, content.bytes.length >> 1),
        );
      },
      remove: async (path) => {
        const content = this.#seen.get(path);
        const apply = () => {
          if (content === undefined) return;
          this.#leave(content.bytes);
          this.#changeNames(directoryOf(path), (entries) => void entries.delete(path));
        };
        this.#change(mounted, apply, nothing);
      },
      list: async (directory) => {
        this.#require(mounted);
        return [...this.#seen.keys()]
          .filter((path) => directoryOf(path) === directory)
          .map((path) => path.slice(directory.length + 1));
      },
      makeDirectory: async () => this.#require(mounted),
      syncDirectory: async (directory) => {
        const apply = () => {
          for (const { apply: finish } of this.#pending.filter((each) => each.directory === directory)) {
            finish(this.#durable);
          }
          this.#pending = this.#pending.filter((each) => each.directory !== directory);
        };
        this.#change(mounted, apply, nothing);
      },
    };
  }
}
