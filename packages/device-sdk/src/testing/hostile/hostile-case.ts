import type { TransportAnswer } from '../../ports/transport.ts';
import type { SyncFailure } from '../../sync/sync-result.ts';
import type { Draft, FakeService } from '../fake-service.ts';

/**
 * What a device that holds version 3 of its list is about to be answered: the whole list at version 4, the changes from
 * 3 to 4 (a person new, one erased), that nothing changed, or that it shall wipe.
 */
export type HonestAnswer = 'whole' | 'changes' | 'unchanged' | 'wipe';

/** One lie of a service, a thief of its key, or somebody in between; and the check that must catch it. */
export interface HostileCase {
  readonly name: string;
  readonly instead: HonestAnswer;
  /** Bends the service, which was honest until now. */
  readonly lie: (service: FakeService) => void;
  readonly reason: SyncFailure;
  /**
   * The reason at a first sync, where nothing is held; null where the lie is none there, the same reason when left out.
   */
  readonly atFirst?: SyncFailure | null;
}

/** Makes a lie of what would have been honest. */
export type Bend = (draft: Draft, service: FakeService) => void | Promise<void>;

type Options = Pick<HostileCase, 'atFirst'> & { readonly instead?: HonestAnswer };

/** Answers with an envelope whose draft is bent before it is signed. */
export const bent = (
  name: string,
  reason: SyncFailure,
  bend: Bend,
  { instead = 'whole', ...over }: Options = {},
): HostileCase => ({
  name,
  instead,
  reason,
  lie: (service) => {
    service.bend = (draft) => bend(draft, service);
  },
  ...over,
});

/** Answers with something else than an honest envelope. */
export const answered = (
  name: string,
  reason: SyncFailure,
  answer: (honest: () => Promise<Uint8Array>, service: FakeService) => Promise<TransportAnswer>,
  { instead = 'whole', ...over }: Options = {},
): HostileCase => ({
  name,
  instead,
  reason,
  lie: (service) => {
    service.answer = (honest) => answer(honest, service);
  },
  ...over,
});
