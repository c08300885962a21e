import type { Database, Transaction } from '../../db/connection.ts';
import type { MemoryRows, MemoryTables } from './rows.ts';

type Name = keyof MemoryRows;

/** The tables as one transaction sees them: what was committed before it began, and what it changed itself. */
class MemoryTransaction {
  #tables: MemoryTables;
  readonly #own = new Set<Name>();

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  get tables(): MemoryTables {
    return this.#tables;
  }

  /** A table to change. Rows are replaced, never changed in place: other transactions and backups share them. */
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
 * A database of a few tables in this process, for the stores beside it. Transactions run one after the other, which is
 * what the row locks of the services come to; one that throws leaves nothing; whoever reads outside of one sees what is
 * committed. Its time goes by in turns of the event loop alone, so that a simulation which is started again goes the
 * same way again.
 */
export class MemoryDatabase implements Pick<Database, 'transaction'> {
  #tables: MemoryTables;
  #last: Promise<unknown> = Promise.resolve();
  /** Called behind every commit. */
  onCommit: (tables: MemoryTables) => void = () => undefined;

  /** @param backup what {@link backup} gave, of this or another database */
  constructor(backup: MemoryTables = EMPTY) {
    this.#tables = backup;
  }

  /** What is committed. Nothing of it ever changes, so it is a backup too. */
  backup(): MemoryTables {
    return this.#tables;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // Services hand a transaction on and look at nothing in it; the stores here know what it is.
    return this.change((tx) => work(tx as unknown as Transaction));
  }

  /** A transaction of the stores' own. */
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

  /** The tables to read: a transaction's own, or what is committed. */
  read(tx?: Transaction): MemoryTables {
    return tx === undefined ? this.#tables : transactionOf(tx).tables;
  }

  /**
   * What is committed now, as a transaction that only reads: it goes on seeing this, whatever is committed meanwhile.
   */
  snapshot(): Transaction {
    return new MemoryTransaction(this.#tables) as unknown as Transaction;
  }
}

/** What a service was given by {@link MemoryDatabase.transaction}. */
export function transactionOf(tx: Transaction): MemoryTransaction {
  const given: unknown = tx;
  if (given instanceof MemoryTransaction) return given;
  throw new Error('a transaction of another database');
}
