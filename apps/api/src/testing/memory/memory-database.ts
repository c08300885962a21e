import type { Database, Transaction } from '../../db/connection.ts';
import type { MemoryRows, MemoryTables } from './rows.ts';

type Name = keyof MemoryRows;

/** The tables in a transaction: the committed state at its begin with its own changes. */
class MemoryTransaction {
  #tables: MemoryTables;
  readonly #own = new Set<Name>();

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  get tables(): MemoryTables {
    return this.#tables;
  }

  /** A table to change. Rows must be replaced, not mutated: other transactions and backups share them. */
  table<N extends Name>(name: N): Map<string, MemoryRows[N]> {
    if (!this.#own.has(name)) {
      this.#tables = { ...this.#tables, [name]: new Map<string, MemoryRows[Name]>(this.#tables[name]) };
      this.#own.add(name);
    }
    return this.#tables[name] as Map<string, MemoryRows[N]>;
  }
}

const EMPTY: MemoryTables = {
  accounts: new Map(),
  apiKeys: new Map(),
  billedPeople: new Map(),
  events: new Map(),
  lists: new Map(),
  epochs: new Map(),
  droppedEpochs: new Map(),
  faces: new Map(),
  removals: new Map(),
  people: new Map(),
  devices: new Map(),
  tombstones: new Map(),
  links: new Map(),
};

/**
 * A database of a few tables in memory for the stores in this folder. Transactions run one at a time, which has the
 * effect of the services' row locks; one that throws changes nothing; readers outside of one see the committed state.
 * Time passes in event loop turns only, so that simulations are repeatable.
 */
export class MemoryDatabase implements Pick<Database, 'transaction'> {
  #tables: MemoryTables;
  #last: Promise<unknown> = Promise.resolve();
  /** Called after every commit. */
  onCommit: (tables: MemoryTables) => void = () => undefined;

  /** @param backup from {@link backup}, of this or another database */
  constructor(backup: MemoryTables = EMPTY) {
    this.#tables = backup;
  }

  /** The committed state; immutable, so it serves as a backup. */
  backup(): MemoryTables {
    return this.#tables;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // Services treat a transaction as opaque; the stores here know its type.
    return this.change((tx) => work(tx as unknown as Transaction));
  }

  /** A transaction within the stores. */
  change<T>(work: (tx: MemoryTransaction) => T | Promise<T>): Promise<T> {
    const run = this.#last.then(async () => {
      const tx = new MemoryTransaction(this.#tables);
      const result = await work(tx);
      this.#tables = tx.tables;
      this.onCommit(this.#tables);
      return result;
    });
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** The tables for reading: a transaction's own, or the committed ones. */
  read(tx?: Transaction): MemoryTables {
    return tx === undefined ? this.#tables : transactionOf(tx).tables;
  }

  /** A read-only transaction on the present committed state, unaffected by later commits. */
  snapshot(): Transaction {
    return new MemoryTransaction(this.#tables) as unknown as Transaction;
  }
}

/** Unwraps a transaction of {@link MemoryDatabase.transaction}. */
export function transactionOf(tx: Transaction): MemoryTransaction {
  const given: unknown = tx;
  if (given instanceof MemoryTransaction) return given;
  throw new Error('a transaction of another database');
}
