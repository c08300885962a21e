import type { TransportAnswer } from '../../ports/transport.ts';
import type { SyncFailure } from '../../sync/sync-result.ts';
import type { Draft, FakeService } from '../fake-service.ts';

/**
 * The honest answer to a device that holds version 3: the whole list at version 4, the changes from 3 to 4 (one new
 * person, one erased), no change, or a wipe.
 */
export type HonestAnswer = 'whole' | 'changes' | 'unchanged' | 'wipe';

/** One lie of a service, a key thief or a man in the middle, and the check that must detect it. */
export interface HostileCase {
  readonly name: string;
  readonly instead: HonestAnswer;
  /** Makes the service, honest until now, lie. */
  readonly lie: (service: FakeService) => void;
  readonly reason: SyncFailure;
  /** The reason at a first sync, without held data; null if it is no lie there. Default: the same reason. */
  readonly atFirst?: SyncFailure | null;
}

/** Turns an honest draft into a lie. */
export type Bend = (draft: Draft, service: FakeService) => void | Promise<void>;

type Options = Pick<HostileCase, 'atFirst'> & { readonly instead?: HonestAnswer };

/** Answers with an envelope whose draft is changed before it is signed. */
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

/** Answers with something other than an honest envelope. */
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

export const text = (content: string) => new TextEncoder().encode(content);

/** Flips the lowest bit of a byte; a negative index counts from the end. */
export const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
};
