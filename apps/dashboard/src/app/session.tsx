import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { readKey } from '../api/hooks.ts';
import type { Session } from '../api/operations.ts';
import type { PageScope } from './pages.ts';

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

/** The signed-in person, their account, and what the deployment offers. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

/** Whether the signed-in person has a right: `can('people:write')`. */
export function useCan(): (scope: PageScope) => boolean {
  const { scopes } = useSession();
  return (scope) => scope === null || scopes.includes(scope);
}

export const SESSION_KEY = readKey('getSession');

/** A hook: stores the session that an operation answered. */
export function useStoreSession(): (session: Session | null) => void {
  const cache = useQueryClient();
  return (session) => cache.setQueryData(SESSION_KEY, session);
}
