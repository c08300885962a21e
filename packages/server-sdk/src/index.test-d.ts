import { expectTypeOf } from 'vitest';
import {
  type Collection,
  type ErrorCode,
  type EventResource,
  isSvcApiError,
  isSvcConnectionError,
  type PersonResource,
  type SvcApiError,
  type SvcClient,
  type SvcConnectionError,
  verifyWebhook,
  type WebhookNotification,
} from './index.ts';

// Only compiled.
declare const client: SvcClient;

// Parameters of a method: path parameters, then the body, then call options.
expectTypeOf(client.getEvent).returns.resolves.toEqualTypeOf<EventResource>();
expectTypeOf(client.getEvent('evt_1', { timeoutMs: 1_000 })).resolves.toEqualTypeOf<EventResource>();
expectTypeOf(client.listPeople('lst_1')).toEqualTypeOf<Collection<PersonResource>>();
expectTypeOf(client.revokeDevice('lst_1', 'dev_1')).resolves.toEqualTypeOf<void>();
// A body that may be left out, and a query that may not.
void client.addDevice('lst_1');
void client.deletePersonByQuery('lst_1', { personId: '.', reason: 'consent-withdrawn' });
// @ts-expect-error the query names a person
void client.deletePersonByQuery('lst_1');
// @ts-expect-error the path names a list
void client.listPeople();
// @ts-expect-error no such operation
void client.identifyPerson('lst_1');
// @ts-expect-error an enrolment without a consent
void client.enrolPerson('lst_1', { personId: 'p-1', image: new Uint8Array() });

expectTypeOf(isSvcApiError).guards.toEqualTypeOf<SvcApiError>();
expectTypeOf(isSvcConnectionError).guards.toEqualTypeOf<SvcConnectionError>();
expectTypeOf<SvcApiError['code']>().toEqualTypeOf<ErrorCode>();
expectTypeOf(verifyWebhook).returns.resolves.toEqualTypeOf<WebhookNotification>();
