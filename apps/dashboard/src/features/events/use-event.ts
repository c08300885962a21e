import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';

/** A hook for the tabs of an event's page, which has read the event. */
export function useEvent() {
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  return useRead('getEvent', { params: { eventId } });
}
