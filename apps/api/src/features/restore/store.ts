import type { FaceErasureReason, SeenVersion } from '../../crypto/erasure-memory.ts';
import { eachAccount } from '../../db/by-account.ts';
import { columnOf, columnsOf, rowsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import type { FaceKey } from '../people/store.ts';
import type { UserKey } from '../users/store.ts';
import type { WebhookKey } from '../webhooks/delivery-store.ts';

/** The key store that this database belongs to; restored with a backup. */
export interface KeyStoreLink {
  readonly storeId: string;
  /** Every erasure up to this number is applied in this database. */
  readonly replayedThrough: number;
  readonly replayedAt: Date;
}

/** An erased sealed record; a later one with the same tag has a higher version. */
export interface ErasedFace extends FaceKey {
  readonly version: number;
  readonly reason: FaceErasureReason;
}

/** A sealed record that exists although it was erased. */
export interface RevivedFace extends FaceKey {
  readonly reason: FaceErasureReason;
}

export interface DeviceKey {
  readonly accountId: string;
  readonly listId: string;
  readonly deviceId: string;
}

export type RestoreStore = ReturnType<typeof createRestoreStore>;

const LIFT = `
UPDATE lists SET list_version = seen.version + 1
FROM unnest(?::text[], ?::bigint[]) AS seen (list_id, version)
WHERE lists.account_id = ? AND lists.list_id = seen.list_id AND lists.list_version < seen.version`;

/** The first two tables always exist, the others if a key store was once opened here. */
const KEY_TABLES = [
  ...['wrapped_keys', 'key_encryption_keys'],
  ...['shredded_owners', 'erasures', 'list_versions_seen', 'key_store'],
];

const REVIVED = `
SELECT DISTINCT ON (faces.epoch, faces.tag) faces.epoch, faces.tag, erased.reason FROM faces
JOIN unnest(?::int[], ?::bytea[], ?::bigint[], ?::text[]) AS erased (epoch, tag, version, reason)
  ON faces.epoch = erased.epoch AND faces.tag = erased.tag AND faces.version <= erased.version
WHERE faces.account_id = ? AND faces.list_id = ?
ORDER BY faces.epoch, faces.tag, erased.version`;

const REVOKE_DEVICES = `
UPDATE devices SET revoked_at = ?
FROM unnest(?::text[], ?::text[]) AS gone (list_id, device_id)
WHERE devices.list_id = gone.list_id AND devices.device_id = gone.device_id
  AND devices.account_id = ? AND devices.revoked_at IS NULL
RETURNING devices.account_id AS "accountId", devices.list_id AS "listId", devices.device_id AS "deviceId"`;

const REMOVE_PASSKEYS = `
DELETE FROM user_passkeys AS held USING unnest(?::text[], ?::text[]) AS gone (user_id, passkey_id)
WHERE held.account_id = ? AND held.user_id = gone.user_id AND held.passkey_id = gone.passkey_id`;

const END_SESSIONS = `
DELETE FROM user_sessions AS held USING unnest(?::text[], ?::timestamptz[]) AS gone (user_id, until)
WHERE held.account_id = ? AND held.user_id = gone.user_id AND held.created_at <= gone.until`;

/** The id of a link is a UUID of its time. */
const END_LINKS = `
DELETE FROM user_links AS held USING unnest(?::text[], ?::uuid[]) AS gone (user_id, after)
WHERE held.account_id = ? AND held.user_id = gone.user_id AND held.link_id < gone.after`;

/** Lowest UUID of version 7 of the millisecond after. */
function uuidAfter(atMs: number): string {
  const hex = (atMs + 1).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

export function createRestoreStore(connection: Connection) {
  async function link(): Promise<KeyStoreLink | null> {
    const found: KeyStoreLink | undefined = await connection('key_store_link').first(
      columnsOf<KeyStoreLink>()(['storeId', 'replayedThrough', 'replayedAt']),
    );
    return found ?? null;
  }
  const change = async (sql: string, values: readonly unknown[]): Promise<number> =>
    (await connection.raw<{ rowCount: number }>(sql, values as string[])).rowCount;
  /** @returns the sum of what each account's part counts */
  async function inEach<T extends { readonly accountId: string }>(
    keys: readonly T[],
    count: (accountId: string, own: readonly T[]) => Promise<number>,
  ): Promise<number> {
    return (await eachAccount(keys, count)).reduce((sum, counted) => sum + counted, 0);
  }

  /** The rows of an account that these keys name by one of their fields. */
  const named = <Field extends string>(
    table: string,
    field: Field,
    accountId: string,
    keys: readonly Record<Field, string>[],
  ) =>
    connection(table)
      .where({ account_id: accountId })
      .whereIn(
        columnOf(field),
        keys.map((key) => key[field]),
      );

  return {
    link,
    /** Stores the key store's identity at the first start. @returns the stored one */
    async claim(made: KeyStoreLink): Promise<KeyStoreLink> {
      await connection('key_store_link').insert(toRow(made)).onConflict('only_row').ignore();
      const found = await link();
      if (found === null) throw new Error('the link to the key store is gone');
      return found;
    },
    /** Never decreases. */
    async setReplayed(through: number, at: Date): Promise<void> {
      await connection('key_store_link').update({
        replayed_through: connection.raw('greatest(replayed_through, ?)', [through]),
        replayed_at: connection.raw('greatest(replayed_at, ?)', [at]),
      });
    },
    /** Whether tables of this database contain keys. */
    holdsKeys: async (): Promise<boolean> => (await connection('wrapped_keys').first('owner_id')) !== undefined,
    /** Empties those tables after the keys were moved. */
    async dropKeys(): Promise<void> {
      for (const table of KEY_TABLES) if (await connection.schema.hasTable(table)) await connection(table).delete();
    },
    /** Epochs of lists ordered by list id, starting after `afterListId`. */
    async listEpochs(afterListId: string, limit: number): Promise<(ListKey & { readonly epoch: number })[]> {
      const lists = connection('lists').where('list_id', '>', afterListId).orderBy('list_id').limit(limit);
      return connection('list_epochs')
        .comment('all accounts')
        .whereIn(['account_id', 'list_id'], lists.select('account_id', 'list_id'))
        .orderBy(['list_id', 'epoch'])
        .select(columnsOf<ListKey & { epoch: number }>()(['accountId', 'listId', 'epoch']));
    },
    /** Raises each list above the version that its devices have seen. @returns number of lists raised */
    liftVersions: (seen: readonly SeenVersion[]): Promise<number> =>
      inEach(seen, (accountId, own) =>
        change(LIFT, [own.map((each) => each.listId), own.map((each) => each.version), accountId]),
      ),
    /** Those of the faces that exist in the erased or an earlier version. */
    revived({ accountId, listId }: ListKey, faces: readonly ErasedFace[], tx?: Transaction): Promise<RevivedFace[]> {
      const of = (field: keyof ErasedFace) => faces.map((face) => face[field]);
      return rowsOf(tx ?? connection, REVIVED, [
        ...[of('epoch'), of('tag'), of('version'), of('reason'), accountId, listId],
      ]);
    },
    /** @returns the person; null when the face belongs to no person any more */
    async removePerson(tx: Transaction, { accountId, listId }: ListKey, { epoch, tag }: FaceKey) {
      const [person]: { personId: string; deleteAfter: Date }[] = await tx('people')
        .where({ account_id: accountId, list_id: listId, face_epoch: epoch, face_tag: tag })
        .delete()
        .returning(['person_id as personId', 'delete_after as deleteAfter']);
      if (person !== undefined) {
        await tx('lists').where({ account_id: accountId, list_id: listId }).decrement('people');
      }
      return person ?? null;
    },
    /** @returns the devices that were not revoked before */
    async revokeDevices(tx: Transaction, keys: readonly DeviceKey[], at: Date): Promise<DeviceKey[]> {
      const revoked = await eachAccount(keys, async (accountId, own) => {
        const values = [at, own.map((key) => key.listId), own.map((key) => key.deviceId), accountId];
        return rowsOf<DeviceKey>(tx, REVOKE_DEVICES, values);
      });
      return revoked.flat();
    },
    /** @returns number of keys that were not revoked before */
    revokeApiKeys: (keys: readonly { accountId: string; keyId: string }[], at: Date): Promise<number> =>
      inEach(keys, (accountId, own) =>
        named('api_keys', 'keyId', accountId, own).whereNull('revoked_at').update({ revoked_at: at }),
      ),
    /** Including their deliveries. @returns number of webhooks deleted */
    deleteWebhooks: (keys: readonly WebhookKey[]): Promise<number> =>
      inEach(keys, (accountId, own) => named('webhooks', 'webhookId', accountId, own).delete()),
    /** @returns number of users removed, with everything of them */
    removeUsers: (keys: readonly UserKey[]): Promise<number> =>
      inEach(keys, (accountId, own) => named('users', 'userId', accountId, own).delete()),
    /** @returns number of passkeys removed */
    removePasskeys: (keys: readonly (UserKey & { readonly passkeyId: string })[]): Promise<number> =>
      inEach(keys, (accountId, own) =>
        change(REMOVE_PASSKEYS, [own.map((key) => key.userId), own.map((key) => key.passkeyId), accountId]),
      ),
    /** Sessions and links that began until then. @returns number of both */
    endSessions: (keys: readonly (UserKey & { readonly untilMs: number })[]): Promise<number> =>
      inEach(keys, async (accountId, own) => {
        const users = own.map((key) => key.userId);
        const untils = own.map(({ untilMs }) => new Date(untilMs));
        const sessions = await change(END_SESSIONS, [users, untils, accountId]);
        return sessions + (await change(END_LINKS, [users, own.map(({ untilMs }) => uuidAfter(untilMs)), accountId]));
      }),
  };
}
