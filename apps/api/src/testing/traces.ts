import pg from 'pg';
import type { AccountVault } from '../crypto/account-vault.ts';

/** What to look for: a text, and 32 bytes that only the account's key makes of it. */
export interface Sought {
  readonly text: string;
  readonly pseudonyms: readonly Buffer[];
}

type Row = Readonly<Record<string, unknown>>;

const TABLES = `
SELECT table_name FROM information_schema.tables
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`;

const bytesOf = (value: unknown): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** Everything that the account's key opens of a box, whatever in its row it may be bound to. */
function openings(vault: AccountVault, row: Row, box: Buffer): Buffer[] {
  return Object.values(row).flatMap((name) => {
    if (Buffer.isBuffer(name))
      return [vault.openAnswer(name, box)].flatMap((text) => (text === null ? [] : [Buffer.from(text)]));
    if (typeof name !== 'string') return [];
    const texts = [vault.openPersonId(name, box), vault.openTicketId(name, box)];
    const opened = [...texts.map((text) => (text === null ? null : Buffer.from(text))), vault.openWebhook(name, box)];
    return opened.flatMap((bytes) => (bytes === null ? [] : [Buffer.from(bytes)]));
  });
}

function tracesIn(row: Row, sought: Sought, vault: AccountVault | null): [column: string, how: string][] {
  return Object.entries(row).flatMap(([column, value]): [string, string][] => {
    const bytes = bytesOf(value);
    if (bytes.includes(sought.text)) return [[column, 'clear']];
    if (sought.pseudonyms.some((pseudonym) => bytes.equals(pseudonym))) return [[column, 'pseudonym']];
    const isSealed = vault !== null && openings(vault, row, bytes).some((opened) => opened.includes(sought.text));
    return isSealed ? [[column, 'sealed']] : [];
  });
}

/**
 * Where a database still holds something of a person: in the clear, as a pseudonym, or sealed under the account's key.
 * @param vault of the account; null where its key is gone
 * @returns `table.column how`, each once
 */
export async function findTraces(databaseUrl: string, sought: Sought, vault: AccountVault | null): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = new Set<string>();
    const tables = await client.query<{ table_name: string }>(TABLES);
    for (const { table_name: table } of tables.rows) {
      const { rows } = await client.query<Row>(`SELECT * FROM ${pg.escapeIdentifier(table)}`);
      const traces = rows.flatMap((row) => tracesIn(row, sought, vault));
      for (const [column, how] of traces) found.add(`${table}.${column} ${how}`);
    }
    return [...found].sort();
  } finally {
    await client.end();
  }
}
