import type { LiveTopic } from '@svc/protocol';
import { otherEndpoints } from '@svc/protocol/endpoints';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { LiveConnection } from './live-connection.ts';
import { endpoints, type OperationId } from './operations.ts';

/** Parts of the paths whose answers a topic changes; lists and events tell counts of what is in them. */
const PATHS: Readonly<Record<LiveTopic, RegExp>> = {
  people: /\/people|^\/v1\/(lists|events)(\/\{\w+\})?$|\/usage$|\/consents$/,
  doors: /\/devices|^\/v1\/(lists|events)(\/\{\w+\})?$/,
  guests: /\/enrolment-tokens|^\/v1\/events(\/\{\w+\})?$/,
  mailings: /\/mailings|\/enrolment-tokens/,
  webhooks: /\/webhooks/,
};

/** Whether what a query has read may be changed by a topic. */
export function isChangedBy({ queryKey }: Pick<Query, 'queryKey'>, topic: LiveTopic, subject: string | null): boolean {
  const [, id, input] = queryKey as readonly [string, OperationId, { readonly params?: Record<string, string> }?];
  const path = endpoints[id]?.path;
  if (path === undefined || !PATHS[topic].test(path)) return false;
  const named = Object.values(input?.params ?? {});
  // An event's page shows its list, and the other way round: a resource alone is read again whatever its name.
  return subject === null || named.length === 0 || named.includes(subject) || path.endsWith('}');
}

let shared: LiveConnection | null = null;

function connection(): LiveConnection {
  shared ??= new LiveConnection({
    open: typeof EventSource === 'undefined' ? null : () => new EventSource(otherEndpoints.streamChanges.path),
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (listener) => document.addEventListener('visibilitychange', listener),
  });
  return shared;
}

/**
 * Reads again what is shown of a topic when the service tells that it has changed: `useLive('doors', listId)`. By the
 * stream of changes, else by polling.
 * @param subject a list, event or webhook; null for all of the topic
 */
export function useLive(topic: LiveTopic, subject: string | null = null): void {
  const cache = useQueryClient();
  useEffect(
    () =>
      connection().watch({
        topic,
        subject,
        onChange: () => void cache.invalidateQueries({ predicate: (query) => isChangedBy(query, topic, subject) }),
      }),
    [cache, topic, subject],
  );
}
