import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { type AddPasskeyRequest, CHALLENGE_MS, isId, MAX_PASSKEYS, type PasskeyAnswer } from '@svc/protocol';
import type { Transaction } from '../../db/connection.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import { type Person, personAct } from './service.ts';
import type { ChallengePurpose, PasskeyRecord, SessionStore } from './store.ts';

/** COSE algorithms: ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257];
const CHALLENGE_BYTES = 32;
const RP_NAME = 'Face check-in';

type RequestOptions = Awaited<ReturnType<typeof generateAuthenticationOptions>>;
type CreationOptions = Awaited<ReturnType<typeof generateRegistrationOptions>>;

export interface Challenge<Options> {
  readonly challengeId: string;
  readonly options: Options;
}

export type PasskeyService = ReturnType<typeof createPasskeyService>;

export interface UsedPasskey {
  readonly passkey: PasskeyRecord;
  readonly counter: number;
  readonly synced: boolean;
}

const fromBase64Url = (text: string) => Buffer.from(text, 'base64url');
/** A copy with a buffer of its own, as the library's types want it. */
const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);

export function createPasskeyService(
  o: Uses<'database' | 'audit' | 'erasures' | 'ids' | 'clock' | 'random'> & {
    readonly sessions: SessionStore;
    readonly users: UserStore;
    /** Null: passkeys are bound to a host name, so that there are none. */
    readonly dashboardUrl: string | null;
    /** Whether a person without a passkey can sign in all the same. */
    readonly hasOtherWays: boolean;
  },
) {
  const now = () => new Date(o.clock.now());
  const page = o.dashboardUrl === null ? null : new URL(o.dashboardUrl);

  /** @throws ServiceError 'sign-in-unavailable' */
  function requirePage(): { readonly origin: string; readonly rpId: string } {
    if (page === null) throw new ServiceError('sign-in-unavailable');
    return { origin: page.origin, rpId: page.hostname };
  }

  async function newChallenge(purpose: ChallengePurpose, sessionId: string | null) {
    const challenge = o.random.bytes(CHALLENGE_BYTES);
    const challengeId = o.ids.next('chl');
    const expiresAt = new Date(o.clock.now() + CHALLENGE_MS);
    await o.sessions.addChallenge({ challengeId, purpose, challenge: Buffer.from(challenge), sessionId, expiresAt });
    return { challengeId, challenge };
  }

  async function requestOptions(
    purpose: 'sign-in' | 'confirm',
    sessionId: string | null,
    passkeys?: readonly PasskeyRecord[],
  ): Promise<Challenge<RequestOptions>> {
    const { rpId } = requirePage();
    const { challengeId, challenge } = await newChallenge(purpose, sessionId);
    const options = await generateAuthenticationOptions({
      ...{ rpID: rpId, challenge, timeout: CHALLENGE_MS, userVerification: 'required' },
      ...(passkeys === undefined ? {} : { allowCredentials: passkeys.map(descriptorOf) }),
    });
    return { challengeId, options };
  }

  /** @returns null when the answer does not fit */
  async function verify(
    purpose: 'sign-in' | 'confirm',
    sessionId: string | null,
    { challengeId, response }: PasskeyAnswer,
    belongs: (passkey: PasskeyRecord) => boolean,
  ): Promise<UsedPasskey | null> {
    const { origin, rpId } = requirePage();
    // Taken first: an answer that does not fit uses the challenge up too.
    const challenge = await o.sessions.takeChallenge({ challengeId, purpose, sessionId }, now());
    if (challenge === null) return null;
    const passkey = (await o.sessions.findPasskeys(fromBase64Url(response.id))).find(belongs);
    if (passkey === undefined) return null;
    const verified = await verifyAuthenticationResponse({
      response: {
        ...{ id: response.id, rawId: response.rawId, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: response.response.clientDataJSON,
          authenticatorData: response.response.authenticatorData,
          signature: response.response.signature,
        },
      },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: bytesOf(passkey.publicKey),
        counter: passkey.counter,
      },
      // The library throws for what does not fit, and its messages quote the answer.
    }).catch(() => null);
    if (verified === null || !verified.verified) return null;
    const { newCounter, credentialBackedUp } = verified.authenticationInfo;
    return { passkey, counter: newCounter, synced: credentialBackedUp };
  }

  const descriptorOf = ({ credentialId, transports }: PasskeyRecord) => ({
    id: credentialId.toString('base64url'),
    transports: [...transports],
  });

  return {
    /** Whether there can be any: the dashboard's address is known. */
    isAvailable: page !== null,
    /** @throws ServiceError 'sign-in-unavailable' */
    beginSignIn: (): Promise<Challenge<RequestOptions>> => requestOptions('sign-in', null),
    /**
     * The passkey that answered a challenge of {@link beginSignIn}; nothing is noted yet.
     * @returns null when it does not sign in
     */
    verifySignIn: (answer: PasskeyAnswer): Promise<UsedPasskey | null> => {
      const { userHandle } = answer.response.response;
      const userId = userHandle === undefined ? null : fromBase64Url(userHandle).toString();
      // Authenticators choose the ids of passkeys, so that two users may have one in common.
      return verify('sign-in', null, answer, (passkey) => passkey.userId === userId);
    },
    /** @throws ServiceError 'sign-in-unavailable' or 'no-passkey' */
    async beginConfirmation(person: Person): Promise<Challenge<RequestOptions>> {
      requirePage();
      const passkeys = await o.sessions.passkeys(person);
      if (passkeys.length === 0) throw new ServiceError('no-passkey');
      return requestOptions('confirm', person.sessionId, passkeys);
    },
    /** @returns null when it is not the person's */
    verifyConfirmation: (person: Person, answer: PasskeyAnswer): Promise<UsedPasskey | null> =>
      verify(
        'confirm',
        person.sessionId,
        answer,
        ({ accountId, userId }) => accountId === person.accountId && userId === person.userId,
      ),
    /** @returns false when the passkey was used meanwhile, by its clone or by the same answer again */
    noteUse: (tx: Transaction, { passkey, counter, synced }: UsedPasskey): Promise<boolean> =>
      o.sessions.notePasskeyUse(tx, passkey, { counter, synced, at: now() }),
    /** @throws ServiceError 'sign-in-unavailable' or 'passkey-limit-reached' */
    async beginCreation(person: Person): Promise<Challenge<CreationOptions>> {
      const { rpId } = requirePage();
      const held = await o.sessions.passkeys(person);
      if (held.length >= MAX_PASSKEYS) throw new ServiceError('passkey-limit-reached');
      const { challengeId, challenge } = await newChallenge('create', person.sessionId);
      const options = await generateRegistrationOptions({
        ...{ rpName: RP_NAME, rpID: rpId, challenge, timeout: CHALLENGE_MS },
        userID: bytesOf(Buffer.from(person.userId)),
        userName: person.email,
        userDisplayName: person.name,
        attestationType: 'none',
        excludeCredentials: held.map(descriptorOf),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      return { challengeId, options };
    },
    /** @throws ServiceError 'sign-in-unavailable', 'passkey-refused' or 'passkey-limit-reached' */
    async add(person: Person, { challengeId, response, name }: AddPasskeyRequest): Promise<PasskeyRecord> {
      const { origin, rpId } = requirePage();
      const { accountId, userId, sessionId } = person;
      const challenge = await o.sessions.takeChallenge({ challengeId, purpose: 'create', sessionId }, now());
      if (challenge === null) throw new ServiceError('passkey-refused');
      const { transports = [], clientDataJSON, attestationObject } = response.response;
      const verified = await verifyRegistrationResponse({
        response: {
          ...{ id: response.id, rawId: response.rawId, type: 'public-key', clientExtensionResults: {} },
          response: { clientDataJSON, attestationObject },
        },
        expectedChallenge: challenge.toString('base64url'),
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(() => null);
      if (verified === null || !verified.verified) throw new ServiceError('passkey-refused');
      const { credential, credentialBackedUp } = verified.registrationInfo;
      const passkey: PasskeyRecord = {
        ...{ accountId, userId, passkeyId: o.ids.next('psk'), name, transports, synced: credentialBackedUp },
        credentialId: fromBase64Url(credential.id),
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        createdAt: now(),
        lastUsedAt: null,
      };
      await o.database.transaction(async (tx) => {
        // Locked, so that two requests at once cannot exceed the limit.
        if (!(await o.users.lock(tx, accountId))) throw new ServiceError('invalid-credential');
        const held = await o.sessions.passkeys(person, tx);
        if (held.length >= MAX_PASSKEYS) throw new ServiceError('passkey-limit-reached');
        if (held.some((other) => other.credentialId.equals(passkey.credentialId))) {
          throw new ServiceError('passkey-refused');
        }
        await o.sessions.addPasskey(tx, passkey);
        await o.audit.record(tx, personAct(person, 'passkey.add', passkey.passkeyId));
      });
      return passkey;
    },
    /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
    async page(person: Person, { cursor, limit }: PageRequest): Promise<Page<PasskeyRecord>> {
      const before = decodeCursor(cursor, (key) => isId('psk', key));
      const held = await o.sessions.passkeys(person);
      const rows = held.filter(({ passkeyId }) => before === undefined || passkeyId < before);
      return toPage(rows.slice(0, limit + 1), limit, ({ passkeyId }) => passkeyId);
    },
    /** @throws ServiceError 'not-found' or 'last-passkey' */
    async remove(person: Person, passkeyId: string): Promise<void> {
      const { accountId } = person;
      await o.database.transaction(async (tx) => {
        if (!(await o.users.lock(tx, accountId))) throw missing('account');
        const held = await o.sessions.passkeys(person, tx);
        if (!held.some((passkey) => passkey.passkeyId === passkeyId)) throw missing('passkey');
        if (held.length === 1 && !o.hasOtherWays) throw new ServiceError('last-passkey');
        const { userId } = person;
        await o.erasures.remember([{ kind: 'passkey', accountId, userId, passkeyId }], o.clock.now());
        await o.sessions.removePasskey(tx, person, passkeyId);
        await o.audit.record(tx, personAct(person, 'passkey.remove', passkeyId));
      });
    },
  };
}
