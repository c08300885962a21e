import type { EventResource } from '@svc/protocol';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useRead } from '../../api/hooks.ts';
import { useFormat } from '../../app/language.tsx';
import { createZonedFormat, ownTimeZone, type ZonedFormat } from './zoned-time.ts';

/** A hook: times of an event as the page's language writes them, at its place. */
export function useZoned(event: Pick<EventResource, 'timeZone'>): ZonedFormat & { readonly timeZone: string } {
  const { locale } = useFormat();
  const timeZone = event.timeZone ?? ownTimeZone();
  return useMemo(() => ({ ...createZonedFormat(locale, timeZone), timeZone }), [locale, timeZone]);
}

/** A hook for the tabs of an event's page, which has read the event. */
export function useEvent() {
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  return useRead('getEvent', { params: { eventId } });
}
