import { FaceError } from '@svc/core';
import type { KeyStore, PackStore, Transport } from '@svc/device-sdk';
import type { ListKeys, PackReader, SealedSecret } from '@svc/device-sdk/adapters';
import {
  ContractError,
  fromBase64Url,
  MAX_CHUNK_BYTES,
  type OpenedListKeys,
  type PageChannel,
  type PageRequests,
  toBase64Url,
} from '@svc/device-sdk-native';

const sealedText = ({ enc, ciphertext, info }: SealedSecret) => ({
  enc: toBase64Url(enc),
  ciphertext: toBase64Url(ciphertext),
  info: toBase64Url(info),
});

/** The keys of the platform's own store. No key enters the page: it gets public keys, MACs and HKDF outputs. */
export function createShellKeyStore(ask: AskStore): KeyStore {
  return {
    devicePublicKey: async () => fromBase64Url((await ask('keyStore.devicePublicKey', {})).publicKey),
    hasDeviceKey: async () => (await ask('keyStore.hasDeviceKey', {})).has,
    deleteDeviceKey: async () => void (await ask('keyStore.deleteDeviceKey', {})),
    mac: async (message) => fromBase64Url((await ask('keyStore.mac', { message: toBase64Url(message) })).mac),
    openListKeys: async ({ epochs, checkInSecret }) => {
      const sealed = epochs.map((one) => ({ epoch: one.epoch, sealed: sealedText(one.sealed) }));
      const secret = checkInSecret === null ? null : sealedText(checkInSecret);
      return heldListKeys(ask, await ask('keyStore.openListKeys', { epochs: sealed, checkInSecret: secret }));
    },
    listKeys: async (generation) => {
      const { keys } = await ask('keyStore.listKeys', { generation });
      return keys === null ? null : heldListKeys(ask, keys);
    },
    deleteListKeys: async (generation) => void (await ask('keyStore.deleteListKeys', { generation })),
    listKeyGenerations: async () => (await ask('keyStore.listKeyGenerations', {})).generations,
    deriveFromAdmissionKey: async (salt, info, length) => {
      const body = { salt: toBase64Url(salt), info: toBase64Url(info), length };
      return ofLength(length, (await ask('keyStore.deriveFromAdmissionKey', body)).bytes);
    },
    hasAdmissionKey: async () => (await ask('keyStore.hasAdmissionKey', {})).has,
    deleteAdmissionKey: async () => void (await ask('keyStore.deleteAdmissionKey', {})),
  };
}

/** List keys that the shell holds under a handle. */
function heldListKeys(ask: AskStore, { handle, epochs }: OpenedListKeys): ListKeys {
  let isWiped = false;
  const requireHeld = () => {
    if (isWiped) throw shellStoreFailed();
  };
  return {
    epochs,
    keyOf(epoch) {
      if (!epochs.includes(epoch)) return null;
      return async (salt, info, length) => {
        requireHeld();
        const body = { handle, epoch, salt: toBase64Url(salt), info: toBase64Url(info), length };
        return ofLength(length, (await ask('keyStore.derive', body)).bytes);
      };
    },
    async signCheckIn(message) {
      requireHeld();
      const { signature } = await ask('keyStore.signCheckIn', { handle, message: toBase64Url(message) });
      return signature === null ? null : fromBase64Url(signature);
    },
    async keepAs(generation) {
      requireHeld();
      await ask('keyStore.keepAs', { handle, generation });
    },
    wipe() {
      if (isWiped) return;
      isWiped = true;
      ask('keyStore.release', { handle }).catch(() => undefined);
    },
  };
}

/** A shell's answer of another length is none. */
function ofLength(length: number, text: string): Uint8Array {
  const bytes = fromBase64Url(text);
  if (bytes.length === length) return bytes;
  bytes.fill(0);
  throw shellStoreFailed();
}

/** Packs, state and pages in the app's own files. Packs pass in chunks; no whole pack is held for it. */
export function createShellPackStore(ask: AskStore): PackStore {
  return {
    readState: async () => bytesOrNull((await ask('packStore.readState', {})).state),
    writeState: async (state) => void (await ask('packStore.writeState', { state: toBase64Url(state) })),
    async writePack(generation, parts) {
      const { upload } = await ask('packStore.beginPack', { generation });
      try {
        let offset = 0;
        for await (const chunk of inChunks(parts)) {
          await ask('packStore.appendPack', { upload, offset, chunk: toBase64Url(chunk) });
          offset += chunk.length;
        }
        await ask('packStore.commitPack', { upload });
      } catch (error) {
        ask('packStore.abandonPack', { upload }).catch(() => undefined);
        throw error;
      }
    },
    openPack: async (generation) => {
      const { pack } = await ask('packStore.openPack', { generation });
      return pack === null ? null : packReader(ask, pack);
    },
    deletePack: async (generation) => void (await ask('packStore.deletePack', { generation })),
    listPacks: async () => (await ask('packStore.listPacks', {})).generations,
    readPage: async (page) => bytesOrNull((await ask('packStore.readPage', { page })).content),
    writePage: async (page, content) =>
      void (await ask('packStore.writePage', { page, content: toBase64Url(content) })),
    deletePage: async (page) => void (await ask('packStore.deletePage', { page })),
    listPages: async () => (await ask('packStore.listPages', {})).pages,
  };
}

const bytesOrNull = (text: string | null) => (text === null ? null : fromBase64Url(text));

/** The same bytes in chunks of {@link MAX_CHUNK_BYTES}, the last one shorter, in one buffer that is used again. */
async function* inChunks(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(MAX_CHUNK_BYTES);
  let filled = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + MAX_CHUNK_BYTES - filled);
      chunk.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled === MAX_CHUNK_BYTES) {
        yield chunk;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

function packReader(ask: AskStore, { handle, byteLength }: { handle: number; byteLength: number }): PackReader {
  let isClosed = false;
  return {
    byteLength,
    async read(offset, length) {
      if (isClosed || offset + length > byteLength) throw shellStoreFailed();
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; at += MAX_CHUNK_BYTES) {
        const range = { handle, offset: offset + at, length: Math.min(MAX_CHUNK_BYTES, length - at) };
        const part = fromBase64Url((await ask('packStore.readPack', range)).bytes);
        if (part.length !== range.length) throw shellStoreFailed();
        bytes.set(part, at);
      }
      return bytes;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await ask('packStore.closePack', { handle });
    },
  };
}

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

const CANCEL_MS = 10_000;

/**
 * HTTP by the platform's client: a page in an app may not fetch from other origins. A shell that is silent is left to
 * the caller's own limit, which aborts the signal.
 */
export function createShellTransport(channel: PageChannel): Transport {
  let transfers = 0;
  return async ({ url, headers, body, signal }) => {
    transfers += 1;
    const transfer = transfers;
    const cancel = () => {
      channel.request('transport.cancel', { transfer }, { timeoutMs: CANCEL_MS }).catch(() => undefined);
    };
    // Not `throwIfAborted`, which Chrome before 100 lacks.
    if (signal.aborted) throw new Error('aborted');
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        cancel();
        reject(new Error('aborted'));
      });
    });
    aborted.catch(() => undefined);
    const { status, mediaType, contentLength } = await Promise.race([
      aborted,
      channel.request('transport.begin', {
        transfer,
        method: body === undefined ? 'GET' : 'POST',
        url,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        ...(body === undefined ? {} : { body: toBase64Url(body) }),
      }),
    ]);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      let isDone = false;
      try {
        while (!isDone) {
          const read = await Promise.race([aborted, channel.request('transport.read', { transfer })]);
          isDone = read.done;
          yield fromBase64Url(read.chunk);
        }
      } finally {
        if (!isDone && !signal.aborted) cancel();
      }
    }
    return { status, mediaType, contentLength, body: chunks() };
  };
}
