import { createContext, useContext } from 'react';

/** The list that a tab of an event's or a list's page shows. */
export interface CurrentList {
  /** Null for an event that has none yet. */
  readonly listId: string | null;
  /** Null for an ongoing list. */
  readonly eventId: string | null;
}

const CurrentListContext = createContext<CurrentList | null>(null);
export const CurrentListProvider = CurrentListContext.Provider;

/** A hook for tabs that an event's page and a list's page share. */
export function useCurrentList(): CurrentList {
  const current = useContext(CurrentListContext);
  if (current === null) throw new Error('outside of the page of an event or a list');
  return current;
}
