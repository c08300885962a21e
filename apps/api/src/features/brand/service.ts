import {
  type BrandChange,
  decodeBase64,
  type Organiser,
  PREVIEW_VALIDITY_MS,
  type SetWidgetSettingsRequest,
  type ShownBrand,
} from '@svc/protocol';
import { createSecret } from '../../crypto/secrets.ts';
import type { InTransaction, Transaction } from '../../db/connection.ts';
import type { UnreadableImage } from '../../inference/port.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { EventService, EventView } from '../events/service.ts';
import type { EventStore } from '../events/store.ts';
import type { ListStore } from '../lists/store.ts';
import type { TokenIssuer } from '../tokens/issuer.ts';
import type { Uses } from '../uses.ts';
import type { Brand, BrandStore, EventKey } from './store.ts';

/** Previews of an event that are kept at a time. */
const MOST_PREVIEWS = 10;

/** Draws an uploaded picture anew, as a small PNG. The picture is consumed. */
export type DrawLogo = (image: Uint8Array<ArrayBuffer>) => Promise<Uint8Array | UnreadableImage>;

/** Organiser and brand of an event. */
export interface WidgetSettingsRecord extends Organiser {
  readonly brand: Brand | null;
}

export interface CreatedPreview {
  readonly eventId: string;
  /** Never shown again. */
  readonly token: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/** Organiser and looks of the widget. */
export type BrandService = ReturnType<typeof createBrandService>;

const EMPTY = Buffer.alloc(0);
const UNBRANDED: Brand = {
  ...{ accent: null, font: null, radius: null, theme: 'auto' },
  ...{ heading: null, benefit: null, logo: null },
};

/** What is absent stays, and what is null is removed. */
function changed(
  before: Brand | null,
  change: BrandChange | null | undefined,
  logo: Buffer | null | undefined,
): Brand | null {
  if (change === null) return null;
  if (change === undefined) return before;
  const { accent, font, radius, theme, heading, benefit } = before ?? UNBRANDED;
  return {
    accent: change.accent === undefined ? accent : (change.accent?.toLowerCase() ?? null),
    font: change.font === undefined ? font : change.font,
    radius: change.radius === undefined ? radius : change.radius,
    theme: change.theme === undefined ? theme : (change.theme ?? UNBRANDED.theme),
    heading: change.heading === undefined ? heading : change.heading,
    benefit: change.benefit === undefined ? benefit : change.benefit,
    logo: logo === undefined ? (before?.logo ?? null) : logo,
  };
}

const isSameLogo = (one: Brand | null, other: Brand | null) => (one?.logo ?? EMPTY).equals(other?.logo ?? EMPTY);

export function createBrandService(
  o: Uses<'database' | 'audit' | 'ids' | 'clock' | 'random'> & {
    readonly store: BrandStore;
    readonly events: Pick<EventService, 'get' | 'hold' | 'setWidget'>;
    readonly eventStore: Pick<EventStore, 'lockList'>;
    readonly listStore: Pick<ListStore, 'nextVersion'>;
    readonly issuer: Pick<TokenIssuer, 'linkOf'>;
  },
) {
  /** The new logo; undefined where the request leaves it as it is. */
  async function drawn({ brand }: SetWidgetSettingsRequest, draw: DrawLogo): Promise<Buffer | null | undefined> {
    const logo = brand?.logo;
    if (logo === null || logo === undefined) return logo;
    const image = decodeBase64(Buffer.from(logo.imageBase64, 'latin1'));
    if (image === null) throw new ServiceError('logo-invalid');
    const png = await draw(image);
    if ('reason' in png) throw new ServiceError('logo-invalid', png);
    return Buffer.from(png);
  }

  /** Devices get the logo with a new version of the list. */
  async function tellDevices(tx: Transaction, key: EventKey): Promise<void> {
    const list = await o.eventStore.lockList(tx, key);
    if (list !== null && list.deletingAt === null) await o.listStore.nextVersion(tx, list);
  }

  /** @param from the brand that a request changes, by the one that is kept */
  async function write(
    caller: AccountCaller,
    eventId: string,
    request: SetWidgetSettingsRequest,
    draw: DrawLogo,
    from: (kept: Brand | null) => Brand | null,
    remember?: InTransaction<EventView>,
  ): Promise<EventView> {
    await o.events.get(caller, eventId);
    const { organiserName, privacyNoticeUrl, brand } = request;
    const logo = await drawn(request, draw);
    return o.events.setWidget(caller, eventId, { organiserName, privacyNoticeUrl }, async (tx, event) => {
      const before = await o.store.find(event, tx);
      const next = changed(from(before), brand, logo);
      if (next === null) await o.store.remove(tx, event);
      else await o.store.put(tx, event, next);
      if (!isSameLogo(before, next)) await tellDevices(tx, event);
      await remember?.(tx, event);
    });
  }

  type Written = [AccountCaller, eventId: string, SetWidgetSettingsRequest, DrawLogo];
  return {
    /**
     * Sets the organiser and changes the brand in one transaction.
     * @throws ServiceError 'not-found', 'logo-invalid', or what `draw` throws
     */
    set: (...[caller, eventId, request, draw, remember]: [...Written, remember?: InTransaction<EventView>]) =>
      write(caller, eventId, request, draw, (kept) => kept, remember),
    /** As `set`, but what is absent of the brand is removed. */
    replace: (...written: Written) => write(...written, () => null),
    /** @throws ServiceError 'not-found', also where nothing was set */
    async get(caller: AccountCaller, eventId: string): Promise<WidgetSettingsRecord> {
      const event = await o.events.get(caller, eventId);
      if (event.widget === null) throw new ServiceError('not-found', { detail: 'The event has no widget settings.' });
      return { ...event.widget, brand: await o.store.find(event) };
    },
    /**
     * Keeps settings for a while behind a link of their own, and leaves those that are set as they are.
     * @throws ServiceError 'not-found', 'logo-invalid', 'event-without-list', or what `draw` throws
     */
    async preview(
      caller: AccountCaller,
      eventId: string,
      request: SetWidgetSettingsRequest,
      draw: DrawLogo,
      remember?: InTransaction<CreatedPreview>,
    ): Promise<CreatedPreview> {
      await o.events.get(caller, eventId);
      const { organiserName, privacyNoticeUrl, brand } = request;
      const logo = await drawn(request, draw);
      return o.database.transaction(async (tx) => {
        const { accountId } = await o.events.hold(tx, caller, eventId);
        const list = await o.eventStore.lockList(tx, { accountId, eventId });
        if (list === null || list.deletingAt !== null) throw new ServiceError('event-without-list');
        const { secret, sha256 } = createSecret(o.random, 'svce');
        const expiresAt = new Date(o.clock.now() + PREVIEW_VALIDITY_MS);
        const preview = {
          ...{ accountId, eventId, tokenId: o.ids.next('tok'), expiresAt },
          organiser: { organiserName, privacyNoticeUrl },
          brand: changed(await o.store.find({ accountId, eventId }, tx), brand, logo) ?? UNBRANDED,
        };
        await o.store.addPreview(tx, preview, sha256, MOST_PREVIEWS);
        await o.audit.record(tx, actOf(caller, 'widget-preview.create', eventId));
        const created = { eventId, token: secret, url: o.issuer.linkOf(secret), expiresAt };
        await remember?.(tx, created);
        return created;
      });
    },
    /** The brand of an event, or of one of its previews. */
    shownTo: ({ previewId, ...key }: EventKey & { readonly previewId: string | null }): Promise<Brand | null> =>
      previewId === null ? o.store.find(key) : o.store.findPreviewed(key, previewId),
    /** Removes expired previews. A job; any number may run at once. */
    sweep: () => o.store.removeExpiredPreviews(new Date(o.clock.now())),
  };
}

/** Sizes of a PNG (PNG, third edition, section 11.2.1): the header is the first chunk. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** A logo for an answer. */
export function describeLogo(logo: Buffer): {
  readonly base64: string;
  readonly width: number;
  readonly height: number;
} {
  return { base64: logo.toString('base64'), ...sizeOf(logo) };
}

/**
 * A brand as the widget shows it. The logo is part of the session: it needs no public address and no second round trip.
 */
export function toShownBrand({ logo, heading, benefit, ...looks }: Brand, language: string): ShownBrand {
  const inLanguage = (lines: Brand['heading']) =>
    Object.entries(lines ?? {}).find(([tag]) => tag.toLowerCase() === language.toLowerCase())?.[1] ?? null;
  const shown = { ...looks, heading: inLanguage(heading), benefit: inLanguage(benefit) };
  if (logo === null) return { ...shown, logo };
  const { base64, width, height } = describeLogo(logo);
  return { ...shown, logo: { url: `data:image/png;base64,${base64}`, width, height } };
}
