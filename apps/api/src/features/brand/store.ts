import type { BrandTheme, Organiser } from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

/** How an organiser wants the widget to look. */
export interface Brand {
  readonly accent: string | null;
  readonly font: string | null;
  /** In CSS pixels. */
  readonly radius: number | null;
  readonly theme: BrandTheme;
  /** By language (BCP 47). */
  readonly heading: Readonly<Record<string, string>> | null;
  /** By language (BCP 47). */
  readonly benefit: Readonly<Record<string, string>> | null;
  /** A PNG. */
  readonly logo: Buffer | null;
}

export interface EventKey {
  readonly accountId: string;
  readonly eventId: string;
}

/** Settings under test, shown to whoever has the token. */
export interface Preview extends EventKey {
  readonly tokenId: string;
  readonly organiser: Organiser;
  readonly brand: Brand;
  readonly expiresAt: Date;
}

interface BrandRow {
  /** Those of before the benefit lack it. */
  readonly looks: Omit<Brand, 'logo' | 'benefit'> & Partial<Pick<Brand, 'benefit'>>;
  readonly logo: Buffer | null;
}

const toBrand = ({ looks, logo }: BrandRow): Brand => ({ benefit: null, ...looks, logo });
const toRow = ({ logo, ...looks }: Brand) => ({ looks: JSON.stringify(looks), logo });

export type BrandStore = ReturnType<typeof createBrandStore>;

const EXPIRED_PREVIEWS = changeDueRows({
  table: 'widget_previews',
  key: { event_id: 'text', token_id: 'text' },
  due: 'expires_at <= :now',
  change: 'DELETE FROM widget_previews',
});

export function createBrandStore(connection: Connection) {
  const rowsOf = (on: Connection, table: string, { accountId, eventId }: EventKey) =>
    on(table).where({ account_id: accountId, event_id: eventId });
  const found = (row: BrandRow | undefined) => (row === undefined ? null : toBrand(row));
  return {
    /** Null where none was set. */
    find: async (key: EventKey, tx?: Transaction): Promise<Brand | null> =>
      found(await rowsOf(tx ?? connection, 'event_brands', key).first('looks', 'logo')),
    /** The caller holds the event's lock alone. */
    async put(tx: Transaction, { accountId, eventId }: EventKey, brand: Brand): Promise<void> {
      await tx('event_brands')
        .insert({ account_id: accountId, event_id: eventId, ...toRow(brand) })
        .onConflict(['account_id', 'event_id'])
        .merge();
    },
    async remove(tx: Transaction, key: EventKey): Promise<void> {
      await rowsOf(tx, 'event_brands', key).delete();
    },
    /** Keeps the newest `most` previews of the event. The caller holds the event's lock. */
    async addPreview(
      tx: Transaction,
      { accountId, eventId, tokenId, organiser, brand, expiresAt }: Preview,
      tokenSha256: Buffer,
      most: number,
    ): Promise<void> {
      const key = { accountId, eventId };
      await tx('widget_previews').insert({
        account_id: accountId,
        event_id: eventId,
        token_id: tokenId,
        token_sha256: tokenSha256,
        organiser_name: organiser.organiserName,
        privacy_notice_url: organiser.privacyNoticeUrl,
        ...toRow(brand),
        expires_at: expiresAt,
      });
      const kept = rowsOf(tx, 'widget_previews', key).orderBy('token_id', 'desc').limit(most).select('token_id');
      await rowsOf(tx, 'widget_previews', key).whereNotIn('token_id', kept).delete();
    },
    findPreviewed: async (key: EventKey, tokenId: string): Promise<Brand | null> =>
      found(await rowsOf(connection, 'widget_previews', key).where({ token_id: tokenId }).first('looks', 'logo')),
    removeExpiredPreviews: (now: Date) => EXPIRED_PREVIEWS(connection, { now }),
  };
}
