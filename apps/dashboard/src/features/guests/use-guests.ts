import type { GuestState } from '@svc/protocol';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { api } from '../../api/client.ts';
import { inPages, useRead } from '../../api/hooks.ts';
import type { AnswerOf } from '../../api/operations.ts';

/** What is shown of a list's guests. */
export interface GuestChoice {
  readonly listId: string;
  /** Any part of the ticket; empty for all. */
  readonly part: string;
  readonly state: GuestState | null;
}

const inputOf = ({ listId, part, state }: GuestChoice) => ({
  params: { listId },
  query: {
    // A page of the service's greatest length: fewer requests while a long list is scrolled.
    limit: 200,
    ...(part === '' ? {} : { ticketIdContains: part }),
    ...(state === null ? {} : { state }),
  },
});

/** All guests of a choice, in pages. */
export async function* guestPages(choice: GuestChoice) {
  const { params, query } = inputOf(choice);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: AnswerOf<'listGuests'> = await api.call('listGuests', { params, query: { ...query, cursor } });
    yield page.items;
    cursor = page.nextCursor;
  }
}

/**
 * The guests of a choice, page by page. Who is near the top of a list gets it anew when a count changes, whoever has
 * scrolled is told: `isOutdated`.
 */
export function useGuests(choice: GuestChoice) {
  const counted = useRead('getGuestSummary', { params: { listId: choice.listId } });
  const { data: summary, isPending } = counted;
  const { queryFn, ...paged } = inPages('listGuests', inputOf(choice));
  const query = useInfiniteQuery({
    ...paged,
    // With the counts from before: who comes between both changes them.
    queryFn: async (of: Parameters<typeof queryFn>[0]) => ({ ...(await queryFn(of)), summary }),
    // Of their own in the cache, so that a change anywhere does not read up to 500 pages again.
    queryKey: ['guests-of-list', choice],
    enabled: !isPending,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  });
  const read = query.data?.pages;
  const items = useMemo(() => read?.flatMap((page) => page.items) ?? [], [read]);
  const hasChanged = read !== undefined && read[0]?.summary !== summary;
  const isShort = (read?.length ?? 0) <= 1;
  const { refetch, isFetching } = query;
  const readAgain = useCallback(() => void refetch(), [refetch]);
  useEffect(() => {
    if (hasChanged && isShort && !isFetching) readAgain();
  }, [hasChanged, isShort, isFetching, readAgain]);
  return { pages: { items, query }, counted, isOutdated: hasChanged && !isShort && !isFetching, readAgain };
}
