import {
  type CreatedEnrolmentLinks,
  type CreateEnrolmentLinksRequest,
  HOUR_MS,
  MAX_LINKS_AT_ONCE,
} from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import type { InTransaction } from '../../db/connection.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { ListService } from '../lists/service.ts';
import type { ListKey, ListRecord, ListStore } from '../lists/store.ts';
import type { Uses } from '../uses.ts';
import type { TokenIssuer } from './issuer.ts';
import type { LinkStore } from './store.ts';

/** Links with which people whose template is of an older model enrol again. */
export type EnrolmentLinkService = ReturnType<typeof createEnrolmentLinkService>;

export function createEnrolmentLinkService(
  o: Uses<'database' | 'audit' | 'keyRing' | 'engines' | 'clock' | 'random'> & {
    readonly store: LinkStore;
    readonly issuer: TokenIssuer;
    readonly lists: Pick<ListService, 'get'>;
    readonly listStore: Pick<ListStore, 'epochs'>;
  },
) {
  async function epochsOf(list: ListRecord, modelId: string | undefined): Promise<readonly number[]> {
    const epochs = await o.listStore.epochs(list);
    return epochs
      .filter(({ engineId }) =>
        modelId === undefined ? engineId !== list.engineId : o.engines.modelIdOf(engineId) === modelId,
      )
      .map(({ epoch }) => epoch);
  }

  const fillSome = (vault: AccountVault, list: ListKey) =>
    o.store.fillTickets(list, (personId) => vault.ticketPseudonym(list.listId, personId));

  async function create(
    vault: AccountVault,
    caller: AccountCaller,
    list: ListRecord & { readonly eventId: string },
    { modelId, validForHours }: CreateEnrolmentLinksRequest,
    remember?: InTransaction<CreatedEnrolmentLinks>,
  ): Promise<CreatedEnrolmentLinks> {
    const { listId, eventId } = list;
    const now = new Date(o.clock.now());
    const epochs = await epochsOf(list, modelId);
    if (!(await fillSome(vault, list))) throw new ServiceError('not-ready');
    const terms = { now, limit: MAX_LINKS_AT_ONCE };
    // Without the list's lock, as the list may be large.
    const first = await o.store.withoutLink(list, epochs, { ...terms, among: null });
    const among = first.map(({ personId }) => personId);
    return o.database.transaction(async (tx) => {
      const open = await o.issuer.open(tx, caller, eventId);
      // Checked again under the list's lock: some may have enrolled or got a link meanwhile.
      const people = await o.store.withoutLink(list, epochs, { ...terms, among }, tx);
      const items: CreatedEnrolmentLinks['items'] = [];
      for (const { personId } of people) {
        const wanted = { ticketId: personId, validityMs: validForHours * HOUR_MS, guestLink: true };
        const { tokenId, expiresAt, secret } = await o.issuer.issue(tx, vault, open, wanted);
        const link = { tokenId, token: secret, url: o.issuer.linkOf(secret) };
        items.push({ personId, ...link, expiresAt: expiresAt.toISOString() });
      }
      if (items.length > 0) await o.audit.record(tx, actOf(caller, 'enrolment-links.create', listId));
      const created = { items, remaining: (first[0]?.ofPeople ?? 0) - first.length };
      await remember?.(tx, created);
      return created;
    });
  }

  return {
    /** @returns whether all people of the list have the pseudonyms of their tickets; each call stores some */
    fillSome,
    /** Stores those of people whom a node of an earlier version enrolled. A job. */
    async fillTickets(): Promise<void> {
      for (const list of await o.store.unfilledLists()) {
        const fill = () => withAccountVault(o, list.accountId, (vault) => fillSome(vault, list));
        while (!(await fill()));
      }
    },
    /**
     * @throws ServiceError in this order: 'not-found', 'list-without-event', 'widget-settings-missing', 'list-ended',
     * 'enrolment-closed', 'event-ended'
     */
    async create(
      caller: AccountCaller,
      listId: string,
      request: CreateEnrolmentLinksRequest,
      remember?: InTransaction<CreatedEnrolmentLinks>,
    ): Promise<CreatedEnrolmentLinks> {
      const list = await o.lists.get(caller, listId);
      const { eventId } = list;
      if (eventId === null) throw new ServiceError('list-without-event');
      try {
        return await withAccountVault(o, list.accountId, (vault) =>
          create(vault, caller, { ...list, eventId }, request, remember),
        );
      } catch (error) {
        // Deleted since it was read.
        if (error instanceof ServiceError && error.code === 'event-without-list') throw missing('event');
        throw error;
      }
    },
  };
}
