import { useMemo } from 'react';
import { useRead } from '../../api/hooks.ts';
import { useCan } from '../../app/session.tsx';
import type { Names } from './audit-words.ts';

const LATEST = { query: { limit: 200 } } as const;

/** Names of the account's latest events, lists, keys, users and webhooks, as far as the person may read them. */
export function useNames(): Names {
  const can = useCan();
  const events = useRead('listEvents', LATEST, { enabled: can('events:read') });
  const lists = useRead('listLists', LATEST, { enabled: can('lists:read') });
  const keys = useRead('listApiKeys', LATEST, { enabled: can('keys:read') });
  const users = useRead('listUsers', LATEST, { enabled: can('users:read') });
  const webhooks = useRead('listWebhooks', LATEST, { enabled: can('webhooks:read') });
  return useMemo(
    () =>
      new Map([
        ...(events.data?.items ?? []).map(({ eventId, name }) => [eventId, name] as const),
        ...(lists.data?.items ?? []).map(({ listId, name }) => [listId, name] as const),
        ...(keys.data?.items ?? []).map(({ keyId, name }) => [keyId, name] as const),
        ...(users.data?.items ?? []).map(({ userId, name }) => [userId, name] as const),
        ...(webhooks.data?.items ?? []).map(({ webhookId, url }) => [webhookId, url] as const),
      ]),
    [events.data, lists.data, keys.data, users.data, webhooks.data],
  );
}
