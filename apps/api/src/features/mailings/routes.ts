import type { MailingResource } from '@svc/protocol';
import { mapPage } from '../../platform/paging.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { MailingService, NewMailing, RecipientView } from './service.ts';
import type { CountedMailing } from './store.ts';
import { listMailTexts } from './texts.ts';

function stateOf({ cancelledAt, recipients }: CountedMailing): MailingResource['state'] {
  if (cancelledAt !== null) return 'cancelled';
  return recipients.waiting > 0 ? 'sending' : 'done';
}

const toResource = (mailing: CountedMailing) => ({
  ...pick(mailing, ['mailingId', 'remindsMailingId', 'recipients', 'validForHours', 'defaultLanguage']),
  ...pick(mailing, ['timeZone', 'replyTo', 'createdAt']),
  state: stateOf(mailing),
});

const toRecipient = ({ position, ...view }: RecipientView) => ({ index: position, ...view });

export const mailingHandlers = (o: { readonly mailings: MailingService }) =>
  ({
    listMailTexts,
    createMailing: ({ caller, params: { eventId }, body, once }) =>
      once(
        (remember) => o.mailings.create(caller, eventId, body, remember),
        (created: NewMailing) => ({
          location: `/v1/events/${eventId}/mailings/${created.mailing.mailingId}`,
          body: { ...toResource(created.mailing), omitted: created.omitted },
        }),
      ),
    listMailings: async ({ caller, params, query }) =>
      mapPage(await o.mailings.page(caller, params.eventId, query), toResource),
    getMailing: async ({ caller, params }) =>
      toResource(await o.mailings.get(caller, params.eventId, params.mailingId)),
    listMailingRecipients: async ({ caller, params, query }) =>
      mapPage(await o.mailings.recipients(caller, params.eventId, params.mailingId, query), toRecipient),
    cancelMailing: ({ caller, params, once }) =>
      once(
        (remember) => o.mailings.cancel(caller, params.eventId, params.mailingId, remember),
        (mailing: CountedMailing) => ({ body: toResource(mailing) }),
      ),
    createMailingReminder: ({ caller, params: { eventId, mailingId }, body, once }) =>
      once(
        (remember) => o.mailings.remind(caller, eventId, mailingId, body, remember),
        (mailing: CountedMailing) => ({
          location: `/v1/events/${eventId}/mailings/${mailing.mailingId}`,
          body: toResource(mailing),
        }),
      ),
  }) satisfies Partial<Handlers>;
