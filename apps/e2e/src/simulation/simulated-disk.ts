import type { FileSystem } from '@svc/durable-fs';
import { Disk } from '@svc/durable-fs/testing';

/** Where a program ends relative to an operation: before, in the middle, or right after. */
export type CutInstant = 'before' | 'torn' | 'after';

/** What ends: the program only, or the power, which loses names whose directory was not synced. */
export type CutKind = 'kill' | 'power';

/** A device's disk over the life of the machine. It can be cut off at any operation. */
export class SimulatedDisk {
  #disk = new Disk();
  #kind: CutKind = 'kill';
  #mounted = 0;
  #isOff = true;
  /** Content that was deleted or replaced without being overwritten, which a disk keeps. */
  readonly #remnants: Buffer[] = [];

  get isOff(): boolean {
    return this.#isOff;
  }

  /** Ends the program or the power at the `at`-th changing operation from now. */
  cutAt(at: number, instant: CutInstant, kind: CutKind): void {
    this.#disk = this.#disk.thatIsCut(at, instant);
    this.#kind = kind;
  }

  /** The cut was not reached. */
  forgetCut(): void {
    this.#disk = this.#disk.afterKill();
  }

  /** The program or the power ends between two operations. */
  switchOff(kind: CutKind): void {
    [this.#isOff, this.#kind] = [true, kind];
  }

  /** Earlier mounts are cut off, as their program is. */
  mount(): FileSystem {
    this.#disk = this.#kind === 'power' ? this.#disk.afterPowerCut() : this.#disk.afterKill();
    this.#mounted += 1;
    [this.#isOff, this.#kind] = [false, 'kill'];
    const mounted = this.#mounted;
    const carryOut = async (name: keyof FileSystem, args: readonly [string, string]) => {
      if (this.#isOff || mounted !== this.#mounted) throw new Error('the power is off');
      const { fs } = this.#disk;
      // What is not overwritten stays on the disk.
      const replaced = { write: args[0], remove: args[0], rename: args[1] }[name as string];
      const bytes = replaced === undefined ? null : await fs.read(replaced);
      if (bytes?.some((byte) => byte !== 0)) this.#remnants.push(Buffer.from(bytes));
      try {
        return await (fs[name] as (...args: readonly string[]) => Promise<unknown>)(...args);
      } catch (error) {
        this.#isOff ||= (error as Error).constructor.name === 'PowerCut';
        throw error;
      }
    };
    const names = Object.keys(this.#disk.fs) as (keyof FileSystem)[];
    const operation =
      (name: keyof FileSystem) =>
      (...args: [string, string]) =>
        carryOut(name, args);
    return Object.fromEntries(names.map((name) => [name, operation(name)])) as never;
  }

  /** Paths as found by somebody who takes the disk out. */
  get paths(): readonly string[] {
    return this.#disk.paths;
  }

  /** Where bytes lie on the disk: a path, or deleted space; null if nowhere. */
  async find(key: Uint8Array): Promise<string | null> {
    const bytes = Buffer.from(key);
    for (const path of this.paths) if (Buffer.from((await this.#disk.fs.read(path)) ?? []).includes(bytes)) return path;
    return this.#remnants.some((place) => place.includes(bytes)) ? 'a place without a name' : null;
  }
}
