import type { AuditEntryResource } from '@svc/protocol';
import { say } from '../../text/index.ts';

/** What was done, in words; the name of an act that a later service added. */
export function actOf(action: string): string {
  const key = `audit.act.${action}`;
  return say.has(key) ? say(key) : action;
}

/** Names by identifier, as far as the person may read them. */
export type Names = ReadonlyMap<string, string>;

export function actorOf({ actor }: AuditEntryResource, names: Names): string {
  switch (actor.kind) {
    case 'user':
      return actor.name ?? say('audit.removed-user');
    case 'api-key':
      return say('audit.key', { name: names.get(actor.keyId ?? '') ?? (actor.keyId ?? '').slice(-6) });
    case 'operator':
      return say('audit.operator');
    default:
      return say('audit.service');
  }
}

/** Identifiers look alike but for their ends. */
export const shortId = (id: string): string =>
  /^[a-z]{2,3}_[0-9a-z]{26}$/.test(id) ? `${id.slice(0, 4)}…${id.slice(-6)}` : id;

/** Names of times before now, in days; null for everything. */
export const periods = { day: 1, week: 7, month: 30, all: null } as const;
export type Period = keyof typeof periods | 'own';

/** The bounds of a filter as the service takes them. Days are those of the browser; `to` is included. */
export function boundsOf(
  period: Period,
  own: { readonly from: string; readonly to: string },
  nowMs: number,
): { readonly since?: string; readonly until?: string } {
  if (period !== 'own') {
    const days = periods[period];
    // To the hour, so that the same filter is the same query for a while.
    const hour = Math.floor(nowMs / 3_600_000) * 3_600_000;
    return days === null ? {} : { since: new Date(hour - days * 86_400_000).toISOString() };
  }
  const startOf = (day: string, later: number) => {
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
    return new Date(year, month - 1, date + later).toISOString();
  };
  const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
  return {
    ...(isDay(own.from) ? { since: startOf(own.from, 0) } : {}),
    ...(isDay(own.to) ? { until: startOf(own.to, 1) } : {}),
  };
}
