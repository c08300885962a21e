import { createListKeySuite } from '../storage/hpke.ts';
import type { KeyStore, SealedListKeys, SealedSecret } from '../storage/key-store.ts';

/** One requirement of a port. Rejects with a description if the adapter does not meet it. */
export interface ContractCase<Subject> {
  readonly name: string;
  readonly check: (subject: Subject) => Promise<void>;
}

/** An adapter under test. */
export interface Durable<Port> {
  /** The port, new and empty. */
  readonly port: Port;
  /** Opens the port again, as after a restart; null if nothing outlives the program. */
  readonly reopen: (() => Promise<Port>) | null;
}

export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export async function demandRejection(action: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await action;
  } catch (error) {
    return error;
  }
  throw new Error(what);
}

/** List keys in plain text, as only their issuer has them. */
export interface PlainListKeys {
  /** 32 bytes each. */
  readonly epochs: readonly { readonly epoch: number; readonly key: Uint8Array }[];
  /** 32 bytes. Default: none. */
  readonly checkInSecret?: Uint8Array | null;
}

/** Seals a secret to a device's public key, as the service does. */
export async function sealSecret(publicKey: Uint8Array, plaintext: Uint8Array): Promise<SealedSecret> {
  const suite = createListKeySuite();
  const info = Uint8Array.of(1, 2, 3);
  const recipientPublicKey = await suite.kem.importKey('raw', publicKey.slice().buffer, true);
  const sender = await suite.createSenderContext({ recipientPublicKey, info: info.slice().buffer });
  const ciphertext = new Uint8Array(await sender.seal(plaintext.slice().buffer));
  return { enc: new Uint8Array(sender.enc), ciphertext, info };
}

/** Seals list keys to a device's public key. */
export async function sealListKeys(
  publicKey: Uint8Array,
  { epochs, checkInSecret = null }: PlainListKeys,
): Promise<SealedListKeys> {
  return {
    epochs: await Promise.all(
      epochs.map(async ({ epoch, key }) => ({ epoch, sealed: await sealSecret(publicKey, key) })),
    ),
    checkInSecret: checkInSecret === null ? null : await sealSecret(publicKey, checkInSecret),
  };
}

/** Seals list keys to a store's own device key, opens them there and keeps them as a generation. */
export async function keepListKeys(
  store: Pick<KeyStore, 'devicePublicKey' | 'openListKeys'>,
  generation: number,
  keys: PlainListKeys,
): Promise<void> {
  const opened = await store.openListKeys(await sealListKeys(await store.devicePublicKey(), keys));
  try {
    await opened.keepAs(generation);
  } finally {
    opened.wipe();
  }
}
