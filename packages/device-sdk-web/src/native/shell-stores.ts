import { FaceError } from '@svc/core';
import { ContractError, type PageChannel, type PageRequests } from '@svc/device-sdk-native';

/** A small change or answer of a store; a shell that is silent for longer has lost the request. */
const ANSWER_MS = 10_000;
/** A disk that takes a whole pack and syncs it. */
const COMMIT_MS = 30_000;

export type AskStore = <Name extends keyof PageRequests>(
  name: Name,
  body: PageRequests[Name]['request'],
) => Promise<PageRequests[Name]['answer']>;

/** Asks the shell's stores. Failures become FaceErrors: `open-failed` as the shell says, else `storage-failed`. */
export function storeAsker(channel: PageChannel): AskStore {
  // The channel's own types pair names and bodies in the same way, which the compiler does not see.
  const request = channel.request.bind(channel) as (...asked: unknown[]) => Promise<never>;
  return async (name, body) => {
    try {
      return await request(name, body, { timeoutMs: name === 'packStore.commitPack' ? COMMIT_MS : ANSWER_MS });
    } catch (cause) {
      if (cause instanceof ContractError && cause.code === 'open-failed') {
        throw new FaceError('open-failed', 'the sealed key does not open', { cause });
      }
      throw shellStoreFailed(cause);
    }
  };
}

export function shellStoreFailed(cause?: unknown): FaceError {
  return new FaceError('storage-failed', 'the shell’s store failed', { cause, retryable: true });
}
