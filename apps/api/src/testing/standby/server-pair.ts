import { addressOf, OwnServer, openServerHome, until } from './own-server.ts';

/** A primary, and a standby that can take its place, again and again. */
export class ServerPair {
  readonly #both: readonly [OwnServer, OwnServer];
  readonly #remove: () => Promise<void>;
  #at: 0 | 1 = 0;
  /** Whether commits wait for the standby. */
  readonly #isSynchronous: boolean;

  private constructor(both: readonly [OwnServer, OwnServer], isSynchronous: boolean, remove: () => Promise<void>) {
    this.#both = both;
    this.#isSynchronous = isSynchronous;
    this.#remove = remove;
  }

  static async start({ isSynchronous }: { readonly isSynchronous: boolean }): Promise<ServerPair> {
    const home = await openServerHome();
    const pair = new ServerPair([await OwnServer.create(home), await OwnServer.create(home)], isSynchronous, () =>
      home.remove(),
    );
    await pair.primary.initialise();
    await pair.attach();
    return pair;
  }

  get primary(): OwnServer {
    return this.#both[this.#at];
  }

  /** The standby, and after a promotion the former primary. */
  get other(): OwnServer {
    return this.#both[this.#at === 0 ? 1 : 0];
  }

  /** Both, the one that was the primary first in front. */
  get url(): string {
    return addressOf(this.#both);
  }

  /** Makes a standby of the other server, and has commits wait for it. */
  async attach(): Promise<void> {
    await this.other.stop();
    await this.other.follow(this.primary);
    if (!this.#isSynchronous) return;
    await this.primary.set({ synchronous_standby_names: '*' });
    await until(async () => {
      const rows = await this.primary.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
      return rows.length > 0;
    });
  }

  /** Resolves when the standby has received everything that was committed before the call. */
  async received(): Promise<void> {
    const [now] = await this.primary.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn() AS lsn');
    await until(async () => {
      const sql = 'SELECT 1 FROM pg_stat_replication WHERE flush_lsn >= $1::pg_lsn';
      return (await this.primary.query(sql, [now?.lsn])).length > 0;
    });
  }

  /** Makes the standby the primary. Its commits wait for nobody until another standby is attached. */
  async promote(): Promise<void> {
    const { other } = this;
    await other.set({ synchronous_standby_names: '' });
    await other.promote();
    this.#at = this.#at === 0 ? 1 : 0;
  }

  async close(): Promise<void> {
    await Promise.all(this.#both.map((server) => server.stop()));
    await this.#remove();
  }
}
