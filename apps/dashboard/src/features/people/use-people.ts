import type { OrganiserOperationTypes, PersonResource } from '@svc/protocol';
import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { inPages, type Pages, useRead } from '../../api/hooks.ts';

type Query = NonNullable<OrganiserOperationTypes['listPeople']['query']>;
type Page = OrganiserOperationTypes['listPeople']['answer'];

/**
 * Of their own in the cache, so that a change anywhere does not read up to 500 pages again: who is near the top of a
 * list is read again, whoever has scrolled is told.
 */
const keyOf = (listId: string, ...query: readonly object[]) => ['people-of-list', listId, ...query] as const;

/** The people of a list that the query selects, page by page. `isOutdated`: what is shown is not all that there is. */
export function usePeople(listId: string, given: Query) {
  const summary = useRead('getPeopleSummary', { params: { listId }, query: {} });
  const query = useInfiniteQuery({
    ...inPages('listPeople', { params: { listId }, query: given }),
    queryKey: keyOf(listId, given),
    // After the count: somebody who comes between both changes the count, and the people are read again.
    enabled: !summary.isPending,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const pages: Pages<PersonResource> = { items, query };

  const people = summary.data?.people;
  const { hasChanged, look } = useChanged(listId, JSON.stringify(given), people);
  const isShort = (query.data?.pages.length ?? 0) <= 1;
  const { refetch } = query;
  const readAgain = useCallback(() => {
    look();
    void refetch();
  }, [look, refetch]);
  useEffect(() => {
    if (hasChanged && isShort) readAgain();
  }, [hasChanged, isShort, readAgain]);
  return { pages, isOutdated: hasChanged && !isShort, readAgain };
}

/** People who were erased from this page, by list: their absence is no news. */
const dropped = new Map<string, number>();

/** Whether there are more or fewer people than when was last looked, but for those who were erased here. */
function useChanged(listId: string, shown: string, people: number | undefined) {
  const droppedNow = dropped.get(listId) ?? 0;
  const [seen, setSeen] = useState({ shown, people, dropped: droppedNow });
  const isFirst = seen.people === undefined && people !== undefined;
  if (seen.shown !== shown || isFirst) setSeen({ shown, people, dropped: droppedNow });
  const here = droppedNow - seen.dropped;
  const isKnown = people === undefined || seen.people === undefined || people === seen.people;
  const look = useCallback(
    () => setSeen({ shown, people, dropped: dropped.get(listId) ?? 0 }),
    [listId, shown, people],
  );
  return { hasChanged: !isKnown && people !== (seen.people ?? 0) - here, look };
}

/** Takes an erased person out of what is shown. */
export function dropPerson(cache: QueryClient, listId: string, personId: string): void {
  dropped.set(listId, (dropped.get(listId) ?? 0) + 1);
  cache.setQueriesData<InfiniteData<Page>>({ queryKey: keyOf(listId) }, (people) =>
    people === undefined
      ? people
      : {
          ...people,
          pages: people.pages.map((page) => ({
            ...page,
            items: page.items.filter((person) => person.personId !== personId),
          })),
        },
  );
}
