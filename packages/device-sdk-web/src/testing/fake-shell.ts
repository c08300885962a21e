import { FaceError } from '@svc/core';
import type { KeyStore, PackStore, Transport } from '@svc/device-sdk';
import type { ListKeys, PackReader, SealedSecret } from '@svc/device-sdk/adapters';
import {
  type CameraPermission,
  ContractError,
  type DeviceStatus,
  type EventHandlers,
  type FailureCode,
  fromBase64Url,
  type Handlers,
  type PageRequests,
  type Prompt,
  ShellChannel,
  toBase64Url,
} from '@svc/device-sdk-native';

/** What a shell keeps while no page runs. */
export interface ShellStorage {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
  readonly transport: Transport;
}

/** A native shell over any stores. It lives through loads of the page, and then forgets the handles of the former one. */
export class FakeShell {
  readonly channel: ShellChannel;
  permission: CameraPermission = 'granted';
  /** As the page last set it. */
  eraseAtMs: number | null = null;
  readonly statuses: DeviceStatus[] = [];
  readonly prompts: (Prompt | null)[] = [];
  readonly faults: FailureCode[] = [];
  /** Called at each hello, before anything else is done. */
  onHello: () => void = () => undefined;
  onPrompt: (attempt: string, prompt: Prompt | null) => void = () => undefined;
  readonly #storage: ShellStorage;
  #last = 0;
  readonly #keys = new Map<number, ListKeys>();
  readonly #uploads = new Map<number, { readonly generation: number; readonly chunks: Uint8Array[]; length: number }>();
  readonly #packs = new Map<number, PackReader>();
  readonly #transfers = new Map<number, Transfer>();

  /** @param send takes each text to the page */
  constructor(storage: ShellStorage, send: (text: string) => void) {
    this.#storage = storage;
    this.channel = new ShellChannel(send, this.#handlers(), this.#events());
  }

  /** Keys first, then packs and pages, as at a start past the guard's time. */
  async erase(): Promise<void> {
    const { keyStore, packStore } = this.#storage;
    for (const generation of await keyStore.listKeyGenerations()) await keyStore.deleteListKeys(generation);
    await keyStore.deleteAdmissionKey();
    for (const generation of await packStore.listPacks()) await packStore.deletePack(generation);
    for (const page of await packStore.listPages()) await packStore.deletePage(page);
    this.eraseAtMs = null;
  }

  #events(): EventHandlers {
    return {
      hello: () => {
        for (const keys of this.#keys.values()) keys.wipe();
        for (const transfer of this.#transfers.values()) transfer.cancel.abort();
        for (const pack of this.#packs.values()) void pack.close();
        for (const held of [this.#keys, this.#uploads, this.#packs, this.#transfers]) held.clear();
        this.onHello();
      },
      status: ({ status }) => void this.statuses.push(status),
      prompt: ({ attempt, prompt }) => {
        this.prompts.push(prompt);
        this.onPrompt(attempt, prompt);
      },
      fault: ({ code }) => void this.faults.push(code),
    };
  }

  #handlers(): Handlers<PageRequests> {
    const { keyStore, packStore } = this.#storage;
    const keysOf = (handle: number) => held(this.#keys, handle);
    const empty = async (action: Promise<unknown>) => {
      await action;
      return {};
    };
    return {
      'keyStore.devicePublicKey': async () => ({ publicKey: toBase64Url(await keyStore.devicePublicKey()) }),
      'keyStore.hasDeviceKey': async () => ({ has: await keyStore.hasDeviceKey() }),
      'keyStore.deleteDeviceKey': () => empty(keyStore.deleteDeviceKey()),
      'keyStore.mac': async ({ message }) => ({ mac: toBase64Url(await keyStore.mac(fromBase64Url(message))) }),
      'keyStore.openListKeys': async ({ epochs, checkInSecret }) => {
        const sealed = {
          epochs: epochs.map((one) => ({ epoch: one.epoch, sealed: sealedOf(one.sealed) })),
          checkInSecret: checkInSecret === null ? null : sealedOf(checkInSecret),
        };
        return this.#hold(await keyStore.openListKeys(sealed));
      },
      'keyStore.listKeys': async ({ generation }) => {
        const keys = await keyStore.listKeys(generation);
        return { keys: keys === null ? null : await this.#hold(keys) };
      },
      'keyStore.derive': async ({ handle, epoch, salt, info, length }) => {
        const derive = keysOf(handle).keyOf(epoch);
        if (derive === null) throw new ContractError('message-invalid', 'no key of this epoch');
        return { bytes: toBase64Url(await derive(fromBase64Url(salt), fromBase64Url(info), length)) };
      },
      'keyStore.signCheckIn': async ({ handle, message }) => {
        const signature = await keysOf(handle).signCheckIn(fromBase64Url(message));
        return { signature: signature === null ? null : toBase64Url(signature) };
      },
      'keyStore.keepAs': ({ handle, generation }) => empty(keysOf(handle).keepAs(generation)),
      'keyStore.release': ({ handle }) => {
        this.#keys.get(handle)?.wipe();
        this.#keys.delete(handle);
        return {};
      },
      'keyStore.deleteListKeys': ({ generation }) => empty(keyStore.deleteListKeys(generation)),
      'keyStore.listKeyGenerations': async () => ({ generations: await keyStore.listKeyGenerations() }),
      'keyStore.deriveFromAdmissionKey': async ({ salt, info, length }) => ({
        bytes: toBase64Url(await keyStore.deriveFromAdmissionKey(fromBase64Url(salt), fromBase64Url(info), length)),
      }),
      'keyStore.hasAdmissionKey': async () => ({ has: await keyStore.hasAdmissionKey() }),
      'keyStore.deleteAdmissionKey': () => empty(keyStore.deleteAdmissionKey()),
      'packStore.readState': async () => ({ state: textOrNull(await packStore.readState()) }),
      'packStore.writeState': ({ state }) => empty(packStore.writeState(fromBase64Url(state))),
      'packStore.beginPack': ({ generation }) => {
        const upload = this.#next();
        this.#uploads.set(upload, { generation, chunks: [], length: 0 });
        return { upload };
      },
      'packStore.appendPack': ({ upload, offset, chunk }) => {
        const written = held(this.#uploads, upload);
        if (offset !== written.length) throw new ContractError('message-invalid', 'not the end of the pack');
        const bytes = fromBase64Url(chunk);
        written.chunks.push(bytes);
        written.length += bytes.length;
        return {};
      },
      'packStore.commitPack': async ({ upload }) => {
        const { generation, chunks } = held(this.#uploads, upload);
        await packStore.writePack(generation, partsOf(chunks));
        this.#uploads.delete(upload);
        return {};
      },
      'packStore.abandonPack': ({ upload }) => {
        this.#uploads.delete(upload);
        return {};
      },
      'packStore.openPack': async ({ generation }) => {
        const reader = await packStore.openPack(generation);
        if (reader === null) return { pack: null };
        const handle = this.#next();
        this.#packs.set(handle, reader);
        return { pack: { handle, byteLength: reader.byteLength } };
      },
      'packStore.readPack': async ({ handle, offset, length }) => ({
        bytes: toBase64Url(await held(this.#packs, handle).read(offset, length)),
      }),
      'packStore.closePack': async ({ handle }) => {
        await this.#packs.get(handle)?.close();
        this.#packs.delete(handle);
        return {};
      },
      'packStore.deletePack': ({ generation }) => empty(packStore.deletePack(generation)),
      'packStore.listPacks': async () => ({ generations: await packStore.listPacks() }),
      'packStore.readPage': async ({ page }) => ({ content: textOrNull(await packStore.readPage(page)) }),
      'packStore.writePage': ({ page, content }) => empty(packStore.writePage(page, fromBase64Url(content))),
      'packStore.deletePage': ({ page }) => empty(packStore.deletePage(page)),
      'packStore.listPages': async () => ({ pages: await packStore.listPages() }),
      'transport.begin': async ({ transfer, url, headers, body }) => {
        const begun = new Transfer();
        this.#transfers.set(transfer, begun);
        return begun.begin(this.#storage.transport, url, headers, body);
      },
      'transport.read': async ({ transfer }) => {
        const read = await held(this.#transfers, transfer).read();
        if (read.done) this.#transfers.delete(transfer);
        return read;
      },
      'transport.cancel': ({ transfer }) => {
        this.#transfers.get(transfer)?.cancel.abort();
        this.#transfers.delete(transfer);
        return {};
      },
      'camera.requestPermission': () => ({ permission: this.permission }),
      'guard.set': ({ eraseAtMs }) => {
        this.eraseAtMs = eraseAtMs;
        return {};
      },
    };
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  async #hold(keys: ListKeys) {
    const handle = this.#next();
    this.#keys.set(handle, keys);
    const hasCheckInSecret = (await keys.signCheckIn(new Uint8Array())) !== null;
    return { handle, epochs: keys.epochs, hasCheckInSecret };
  }
}

/** One HTTP request whose body is pulled, in the chunks of the transport. */
class Transfer {
  readonly cancel = new AbortController();
  #chunks: AsyncIterator<Uint8Array> | null = null;

  async begin(transport: Transport, url: string, headers: Readonly<Record<string, string>>, body: string | undefined) {
    const sent = body === undefined ? {} : { body: fromBase64Url(body) };
    const answer = await transport({ url, headers, ...sent, signal: this.cancel.signal }).catch(offline);
    this.#chunks = answer.body[Symbol.asyncIterator]();
    return { status: answer.status, mediaType: answer.mediaType, contentLength: answer.contentLength };
  }

  async read() {
    const next = await this.#chunks?.next().catch(offline);
    if (next === undefined || next.done === true) return { chunk: '', done: true };
    return { chunk: toBase64Url(next.value), done: false };
  }
}

function offline(cause: unknown): never {
  throw new ContractError('offline', 'no answer, or it broke off', { cause });
}

/** What is held under a handle of this session. */
function held<T>(all: ReadonlyMap<number, T>, handle: number): T {
  const found = all.get(handle);
  if (found === undefined) throw new FaceError('storage-failed', 'there is no such handle');
  return found;
}

const textOrNull = (bytes: Uint8Array | null) => (bytes === null ? null : toBase64Url(bytes));

const sealedOf = (text: { readonly [Part in keyof SealedSecret]: string }): SealedSecret => ({
  enc: fromBase64Url(text.enc),
  ciphertext: fromBase64Url(text.ciphertext),
  info: fromBase64Url(text.info),
});

async function* partsOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
