import type { Say } from '@svc/page-kit';
import type { HeldToken } from '@svc/protocol';
import { createScreenContext } from '@svc/ui';
import type { FlowEvent, State } from '../flow/state.ts';
import type { TextKey } from '../text/index.ts';

/** Parts that the page gets from its environment. */
export interface Surroundings {
  /** Shows the camera; the camera step places it. */
  readonly video: HTMLVideoElement;
  /** The guest link, for continuing on another device; null in an organiser's page. */
  readonly link: string | null;
}

/** What every screen can use. */
export interface PageContext extends Surroundings {
  readonly say: Say<TextKey>;
  /** BCP 47. The wording's language once there is a wording, else that of the texts. */
  readonly language: string;
  readonly session: State['session'];
  /** Whom the guest deals with; known for a link that cannot be used any more, too. Null until then. */
  readonly organiser: Omit<HeldToken, 'state' | 'deleteAfter'> | null;
  readonly engine: State['engine'];
  readonly dispatch: (event: FlowEvent) => void;
}

export const [PageProvider, usePage] = createScreenContext<PageContext>();

/** The context after consent, where there always is a session. */
export function useSession(): NonNullable<State['session']> {
  const { session } = usePage();
  if (session === null) throw new Error('a step behind the consent without a session');
  return session;
}
