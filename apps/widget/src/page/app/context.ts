import type { Say } from '@svc/ui/text';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FlowEvent, State } from '../flow/state.ts';
import type { TextKey } from '../text/texts.ts';

/** What the page stands in. */
export interface Surroundings {
  /** The camera is shown in it; the camera's step gives it a place. */
  readonly video: HTMLVideoElement;
  /** Names a request among its repeats. */
  readonly newKey: () => string;
  /** The guest link, to go on elsewhere with; null in an organiser's page. */
  readonly link: string | null;
}

/** What every screen can use. */
export interface PageContext extends Surroundings {
  readonly say: Say<TextKey>;
  /** BCP 47; that of the texts, and once there is a wording, the wording's. */
  readonly language: string;
  readonly session: State['session'];
  readonly dispatch: (event: FlowEvent) => void;
}

const Context = createContext<PageContext | null>(null);
export const PageProvider = Context.Provider;

export function usePage(): PageContext {
  const context = useContext(Context);
  if (context === null) throw new Error('a screen outside of the page');
  return context;
}

/** The same behind the consent, where there is always a session. */
export function useSession(): NonNullable<State['session']> {
  const { session } = usePage();
  if (session === null) throw new Error('a step behind the consent without a session');
  return session;
}
