import { HOUR_MS } from '@svc/protocol';
import type { Clock, Ids } from '../../platform/ports.ts';
import { type AccountCaller, type AccountService, ALL_RIGHTS } from '../accounts/service.ts';
import type { EventService } from '../events/service.ts';
import type { ListService } from '../lists/service.ts';
import type { TokenService } from '../tokens/service.ts';

const ACCOUNT = 'The demo at /demo';
const EVENT_HOURS = 24;
/** An event that ends sooner is not used. */
const LEAST_HOURS = 2;
const LINK_HOURS = 1;

/** The tokens for one visit of the demo page. */
export interface DemoVisit {
  /** For a new ticket. */
  readonly token: string;
  /** A guest link for another new ticket. */
  readonly guestLink: string;
}

export type Demo = ReturnType<typeof createDemo>;

interface Stage {
  readonly caller: AccountCaller;
  readonly eventId: string;
  readonly endsAtMs: number;
}

/**
 * An organiser with an event that always accepts guests, for trying the widget. The first visit creates them with the
 * rights of an API key.
 */
export function createDemo(o: {
  readonly accounts: Pick<AccountService, 'all' | 'create'>;
  readonly events: Pick<EventService, 'create' | 'setWidget'>;
  readonly lists: Pick<ListService, 'create'>;
  readonly tokens: Pick<TokenService, 'create'>;
  readonly ids: Pick<Ids, 'nextUuid'>;
  readonly clock: Clock;
}) {
  let staged: Promise<Stage> | null = null;

  async function openAccount(): Promise<AccountCaller> {
    const actor = { kind: 'system' } as const;
    const earlier = (await o.accounts.all()).find(
      ({ name, mode, suspendedAt }) => name === ACCOUNT && suspendedAt === null && mode === 'live',
    );
    const { accountId, country, billingCurrency, mode } =
      earlier ??
      (await o.accounts.create({ name: ACCOUNT, country: 'DE', billingCurrency: 'EUR', plan: 'pilot' }, actor));
    return { accountId, keyId: 'demo', rights: ALL_RIGHTS, actor, country, billingCurrency, mode };
  }

  async function setUp(): Promise<Stage> {
    const caller = await openAccount();
    const now = o.clock.now();
    const endsAtMs = now + EVENT_HOURS * HOUR_MS;
    const name = 'Open rehearsal';
    const { eventId } = await o.events.create(caller, {
      name,
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(endsAtMs).toISOString(),
    });
    await o.events.setWidget(caller, eventId, {
      organiserName: 'Riverside Hall',
      privacyNoticeUrl: 'https://example.org/face-check-in-privacy',
    });
    await o.lists.create(caller, { name, eventId });
    return { caller, eventId, endsAtMs };
  }

  async function stage(): Promise<Stage> {
    staged ??= setUp();
    const pending = staged;
    try {
      const current = await pending;
      if (current.endsAtMs - o.clock.now() > LEAST_HOURS * HOUR_MS) return current;
    } catch (error) {
      if (staged === pending) staged = null;
      throw error;
    }
    if (staged === pending) staged = setUp();
    return staged;
  }

  return {
    async visit(): Promise<DemoVisit> {
      const { caller, eventId } = await stage();
      const ticketId = () => `demo-${o.ids.nextUuid()}`;
      const { token } = await o.tokens.create(caller, eventId, { ticketId: ticketId() });
      const link = await o.tokens.create(caller, eventId, { ticketId: ticketId(), validForHours: LINK_HOURS });
      return { token, guestLink: link.url ?? '' };
    },
  };
}
