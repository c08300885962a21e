import type { ApiKeyScope } from '@svc/protocol/endpoints';
import { createContext, useContext } from 'react';
import type { Session } from './operations.ts';

/** A right that a page or an act needs; null for none. */
export type Right = ApiKeyScope | null;

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

/** The signed-in person, their account, and what the deployment offers. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

/** Whether the signed-in person has a right: `can('people:write')`. */
export function useCan(): (scope: Right) => boolean {
  const { scopes } = useSession();
  return (scope) => scope === null || scopes.includes(scope);
}
