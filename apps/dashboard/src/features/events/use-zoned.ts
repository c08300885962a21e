import type { EventResource } from '@svc/protocol';
import { useMemo } from 'react';
import { useFormat } from '../../app/language.tsx';
import { createZonedFormat, ownTimeZone, type ZonedFormat } from './zoned-time.ts';

/** A hook: times of an event as the page's language writes them, at its place. */
export function useZoned(event: Pick<EventResource, 'timeZone'>): ZonedFormat & { readonly timeZone: string } {
  const { locale } = useFormat();
  const timeZone = event.timeZone ?? ownTimeZone();
  return useMemo(() => ({ ...createZonedFormat(locale, timeZone), timeZone }), [locale, timeZone]);
}
