import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { AddPasskeyRequest, NewPasskeyChallenge, PasskeyAnswer, PasskeyChallenge } from '@svc/protocol';

const ORIGIN = 'http://localhost:0';

type CBORType = Parameters<typeof isoCBOR.encode>[0];

interface Flags {
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  readonly backedUp: boolean;
}

/** What a test makes an authenticator or a browser do wrong. */
export interface Wrong extends Partial<Flags> {
  /** Of the page that the browser shows. */
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  /** Signature counter; by default it counts. */
  readonly counter?: number;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const cbor = (value: CBORType) => Buffer.from(isoCBOR.encode(value));
const base64Url = (data: string | Buffer) => Buffer.from(data).toString('base64url');

/** A platform authenticator and its browser, for one passkey: ES256, attestation `none`. */
export class TestAuthenticator {
  readonly credentialId: Buffer;
  readonly #privateKey: KeyObject;
  readonly #coseKey: Buffer;
  #userHandle = Buffer.alloc(0);
  #counter = 0;

  constructor(credentialId: Buffer = randomBytes(32)) {
    this.credentialId = credentialId;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const [xBytes, yBytes] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    this.#coseKey = cbor(
      new Map<number, CBORType>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, xBytes],
        [-3, yBytes],
      ]),
    );
  }

  /** The answer to options of a new passkey. */
  create({ challengeId, options }: NewPasskeyChallenge, name = 'Laptop', wrong: Wrong = {}): AddPasskeyRequest {
    this.#userHandle = Buffer.from(options.user.id, 'base64url');
    const { credentialId } = this;
    const length = Buffer.from([credentialId.length >> 8, credentialId.length & 255]);
    const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, this.#coseKey]);
    const authData = this.#authenticatorData(wrong.rpId ?? options.rp.id, wrong, attested);
    const attestation = new Map<string, CBORType>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    const clientData = this.#clientData('webauthn.create', options.challenge, wrong);
    return {
      challengeId,
      name,
      response: {
        ...this.#credential(),
        response: {
          clientDataJSON: base64Url(clientData),
          attestationObject: base64Url(cbor(attestation)),
          transports: ['internal'],
        },
      },
    };
  }

  /** The answer to options of a sign-in. */
  get({ challengeId, options }: PasskeyChallenge, wrong: Wrong = {}): PasskeyAnswer {
    this.#counter += 1;
    const authData = this.#authenticatorData(wrong.rpId ?? options.rpId, wrong);
    const clientData = this.#clientData('webauthn.get', options.challenge, wrong);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#privateKey);
    return {
      challengeId,
      response: {
        ...this.#credential(),
        response: {
          clientDataJSON: base64Url(clientData),
          authenticatorData: base64Url(authData),
          signature: base64Url(signature),
          userHandle: base64Url(this.#userHandle),
        },
      },
    };
  }

  #credential() {
    const id = base64Url(this.credentialId);
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    } as const;
  }

  #clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    const { origin = ORIGIN } = wrong;
    const said = { type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(said));
  }

  #authenticatorData(rpId: string, wrong: Wrong, attested?: Buffer): Buffer {
    const { userPresent = true, userVerified = true, backedUp = false } = wrong;
    const flags =
      (userPresent ? 1 : 0) | (userVerified ? 4 : 0) | (backedUp ? 8 | 16 : 0) | (attested === undefined ? 0 : 64);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(wrong.counter ?? this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  }
}
