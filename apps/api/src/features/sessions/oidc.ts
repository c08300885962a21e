import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CHALLENGE_MS } from '@svc/protocol';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import type { ApiConfig } from '../../config/config.ts';
import { isLoopbackHost } from '../../config/settings.ts';
import { secretSha256 } from '../../crypto/secrets.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import type { SessionService } from './service.ts';
import type { Visitor } from './sign-in.ts';
import type { SessionStore } from './store.ts';

/** Why a sign-in with another provider came to nothing, for the sign-in page. */
export type OidcFailure =
  | 'oidc-unavailable'
  | 'oidc-refused'
  | 'oidc-email-unverified'
  | 'oidc-not-invited'
  | 'account-suspended';

export class OidcError extends Error {
  override readonly name = 'OidcError';
  readonly failure: OidcFailure;

  constructor(failure: OidcFailure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

export type OidcService = ReturnType<typeof createOidcService>;

const SECRET_BYTES = 32;
const TIMEOUT_S = 10;
const COOKIE = /^(chl_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/;

/** The parts of an attempt; whoever has the cookie has them all, and nobody else. */
function partsOf(secret: string) {
  const part = (name: string) => createHmac('sha256', secret).update(name).digest('base64url');
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
}

export function createOidcService(
  o: Uses<'database' | 'ids' | 'clock' | 'random'> & {
    readonly config: ApiConfig['oidc'];
    readonly dashboardUrl: string | null;
    readonly sessions: Pick<SessionStore, 'addChallenge' | 'takeChallenge'>;
    readonly sessionService: Pick<SessionService, 'start'>;
    readonly users: Pick<UserStore, 'enabledWithEmail'>;
  },
) {
  const { config, dashboardUrl } = o;
  const isSetUp = config !== null && dashboardUrl !== null;
  let found: Promise<Configuration> | null = null;

  async function discover({ issuer, clientId, clientSecret, clientSecretFile }: NonNullable<ApiConfig['oidc']>) {
    const ofFile = clientSecretFile === undefined ? undefined : (await readFile(clientSecretFile, 'utf8')).trim();
    const secret = clientSecret ?? ofFile;
    return discovery(issuer, clientId, undefined, secret === undefined ? None() : ClientSecretPost(secret), {
      timeout: TIMEOUT_S,
      // The settings allow plain HTTP to this machine alone.
      execute: [enableNonRepudiationChecks, ...(isLoopbackHost(issuer.hostname) ? [allowInsecureRequests] : [])],
    });
  }

  /** Asked once; a failure is not remembered. @throws OidcError 'oidc-unavailable' */
  async function provider(): Promise<{ readonly client: Configuration; readonly redirectUri: string }> {
    if (config === null || dashboardUrl === null) throw new OidcError('oidc-unavailable');
    found ??= discover(config);
    const redirectUri = new URL('/v1/sign-in/oidc/callback', dashboardUrl).href;
    try {
      return { client: await found, redirectUri };
    } catch (error) {
      found = null;
      throw new OidcError('oidc-unavailable', error);
    }
  }

  return {
    /** What the sign-in page calls the provider; null where there is none. */
    name: isSetUp ? config.name : null,
    /**
     * @returns the provider's URL with everything that the attempt needs, and what to keep in a cookie of the browser
     * that began: the state, the nonce and the PKCE verifier follow from it
     * @throws OidcError
     */
    async begin(): Promise<{ readonly url: string; readonly cookie: string }> {
      const { client, redirectUri } = await provider();
      const secret = Buffer.from(o.random.bytes(SECRET_BYTES)).toString('base64url');
      const { state, nonce, verifier } = partsOf(secret);
      const challengeId = o.ids.next('chl');
      await o.sessions.addChallenge({
        ...{ challengeId, purpose: 'oidc', challenge: secretSha256(secret), sessionId: null },
        expiresAt: new Date(o.clock.now() + CHALLENGE_MS),
      });
      const url = buildAuthorizationUrl(client, {
        ...{ redirect_uri: redirectUri, scope: 'openid email', state, nonce },
        ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      });
      return { url: url.href, cookie: `${challengeId}.${secret}` };
    },
    /**
     * @param query of the provider's redirect
     * @param cookie of {@link begin}
     * @throws OidcError
     */
    async finish({ browser, former }: Visitor, query: URLSearchParams, cookie: string | undefined) {
      const { client, redirectUri } = await provider();
      const [, challengeId = '', secret = ''] = COOKIE.exec(cookie ?? '') ?? [];
      const key = { challengeId, purpose: 'oidc', sessionId: null } as const;
      // Taken first: an attempt works once, whatever comes of it.
      const sha256 = secret === '' ? null : await o.sessions.takeChallenge(key, new Date(o.clock.now()));
      if (sha256 === null || !timingSafeEqual(sha256, secretSha256(secret))) throw new OidcError('oidc-refused');
      const { state, nonce, verifier } = partsOf(secret);
      const current = new URL(redirectUri);
      current.search = query.toString();
      const tokens = await authorizationCodeGrant(client, current, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      }).catch((error: unknown) => {
        throw new OidcError('oidc-refused', error);
      });
      const claims = tokens.claims();
      const email = claims?.email;
      if (typeof email !== 'string' || claims?.email_verified !== true) throw new OidcError('oidc-email-unverified');
      const [user] = await o.users.enabledWithEmail(email.toLowerCase());
      if (user === undefined) throw new OidcError('oidc-not-invited');
      return o.database.transaction(async (tx) => {
        const started = await o.sessionService.start(tx, user, { way: 'oidc', browser, former }).catch(suspended);
        if (started === null) throw new OidcError('oidc-not-invited');
        return started;
      });
    },
  };
}

function suspended(error: unknown): never {
  if (error instanceof ServiceError && error.code === 'account-suspended') throw new OidcError('account-suspended');
  throw error;
}
