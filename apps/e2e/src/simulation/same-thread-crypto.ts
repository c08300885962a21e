import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

const PAIRS = 256;
const TAG_BYTES = 16;
const UNCOMPRESSED = 4;

/** A key as its holder sees it. Callers wipe their secrets; these copies end with the process. */
interface SameThreadKey {
  readonly type: 'public' | 'private' | 'secret';
  readonly algorithm: unknown;
  readonly extractable: boolean;
  readonly usages: readonly string[];
  /** The raw point, the PKCS #8, or the secret. */
  readonly bytes: Buffer;
  /** The halves of a pair. */
  readonly object: KeyObject | null;
}

interface Params {
  readonly name: string;
  readonly public?: SameThreadKey;
  readonly salt?: ArrayBuffer;
  readonly info?: ArrayBuffer;
  readonly iv?: ArrayBuffer;
  readonly additionalData?: ArrayBuffer;
}

const nameOf = (algorithm: string | Params): string => (typeof algorithm === 'string' ? algorithm : algorithm.name);
const copied = (bytes: ArrayBuffer | Uint8Array): Buffer => Buffer.from(Buffer.from(bytes as Uint8Array));
const alone = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

function pointOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(UNCOMPRESSED), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}

function publicKeyOf(point: Buffer): KeyObject {
  if (point.length !== 65 || point[0] !== UNCOMPRESSED) throw new DOMException('no point of P-256', 'DataError');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}

/**
 * WebCrypto for HPKE and the device's key pair, computed on this thread by the same library: Node would use its thread
 * pool a hundred and fifty times a seed. Key pairs are generated beforehand, and none is used twice in a history.
 */
export function createSameThreadCrypto() {
  const pairs = Array.from({ length: PAIRS }, () => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  /** Imported keys by their bytes: importing a private key is the most expensive operation. */
  const known = new Map<string, KeyObject>();
  const drawn = pairs.map(({ privateKey, publicKey }) => {
    const [pkcs8, point] = [privateKey.export({ type: 'pkcs8', format: 'der' }), pointOf(publicKey)];
    known.set(pkcs8.toString('latin1'), privateKey);
    known.set(point.toString('latin1'), publicKey);
    return { privateKey, publicKey, pkcs8, point };
  });
  let nth = 0;

  const imported = (bytes: Buffer, read: () => KeyObject): KeyObject => known.get(bytes.toString('latin1')) ?? read();

  return {
    async generateKey(algorithm: Params, extractable: boolean, usages: readonly string[]) {
      const pair = drawn[nth % PAIRS];
      nth += 1;
      if (pair === undefined || algorithm.name !== 'ECDH') throw new DOMException('not here', 'NotSupportedError');
      const { privateKey, publicKey, pkcs8, point } = pair;
      const common = { algorithm };
      return {
        privateKey: { ...common, type: 'private', extractable, usages, bytes: pkcs8, object: privateKey },
        publicKey: { ...common, type: 'public', extractable: true, usages: [], bytes: point, object: publicKey },
      };
    },
    async importKey(
      format: string,
      data: ArrayBuffer,
      algorithm: string | Params,
      extractable: boolean,
      usages: readonly string[],
    ): Promise<SameThreadKey> {
      const bytes = copied(data);
      const common = { algorithm, extractable, usages, bytes };
      if (nameOf(algorithm) !== 'ECDH') return { ...common, type: 'secret', object: null };
      if (format === 'raw') return { ...common, type: 'public', object: imported(bytes, () => publicKeyOf(bytes)) };
      const read = () => createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
      return { ...common, type: 'private', object: imported(bytes, read) };
    },
    async exportKey(format: string, key: SameThreadKey): Promise<ArrayBuffer> {
      const isMeant = (format === 'raw') === (key.type === 'public');
      if (!key.extractable || !isMeant) throw new DOMException('this key stays', 'InvalidAccessError');
      return alone(key.bytes);
    },
    async deriveBits(algorithm: Params, key: SameThreadKey, bits: number): Promise<ArrayBuffer> {
      const { salt = new ArrayBuffer(0), info = new ArrayBuffer(0) } = algorithm;
      if (algorithm.name === 'HKDF') return hkdfSync('sha256', key.bytes, copied(salt), copied(info), bits / 8);
      const [privateKey, publicKey] = [key.object, algorithm.public?.object ?? null];
      if (privateKey === null || publicKey === null) throw new DOMException('no pair', 'InvalidAccessError');
      return alone(diffieHellman({ privateKey, publicKey }));
    },
    async sign(_algorithm: string, key: SameThreadKey, data: ArrayBuffer): Promise<ArrayBuffer> {
      return alone(createHmac('sha256', key.bytes).update(copied(data)).digest());
    },
    async encrypt({ iv, additionalData }: Params, key: SameThreadKey, data: ArrayBuffer): Promise<ArrayBuffer> {
      const cipher = createCipheriv('aes-256-gcm', key.bytes, copied(iv ?? new ArrayBuffer(0)));
      cipher.setAAD(copied(additionalData ?? new ArrayBuffer(0)));
      return alone(Buffer.concat([cipher.update(copied(data)), cipher.final(), cipher.getAuthTag()]));
    },
    async decrypt({ iv, additionalData }: Params, key: SameThreadKey, data: ArrayBuffer): Promise<ArrayBuffer> {
      const sealed = copied(data);
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, copied(iv ?? new ArrayBuffer(0)));
      decipher.setAAD(copied(additionalData ?? new ArrayBuffer(0)));
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
      return alone(Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]));
    },
  };
}

/** Replaces Node's implementation in this process. */
export function useSameThreadCrypto(): void {
  Object.defineProperty(globalThis.crypto, 'subtle', { value: createSameThreadCrypto(), configurable: true });
}
