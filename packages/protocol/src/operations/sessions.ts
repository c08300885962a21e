import * as z from 'zod';
import {
  accountModeSchema,
  countrySchema,
  exampleId,
  idSchema,
  languageTagSchema,
  nameSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import { MAX_PASSKEYS } from '../limits.ts';
import type { Descriptions } from './descriptions.ts';
import { apiKeyScopes } from './endpoints.ts';
import { noticeKinds } from './notices.ts';
import { roleScopes } from './roles.ts';
import { EXAMPLE_MODELS, servingModelsSchema } from './service.ts';
import { emailSchema, userRoleSchema } from './users.ts';

/** The cookie of a person's session in the dashboard. */
export const SESSION_COOKIE = '__Host-svc-session';
/** Header that a browser's page repeats the session's CSRF token in. */
export const CSRF_HEADER = 'X-Csrf-Token';

/** Largest part of a passkey's answer, in characters of base64url. */
const MAX_PART_CHARS = 16_384;
const part = z
  .string()
  .min(1)
  .max(MAX_PART_CHARS)
  .regex(/^[A-Za-z0-9_-]+$/, { error: 'must be base64url without padding' });
const credentialIdSchema = part.max(1_366);
const optionalWord = z.string().max(64).nullable().optional();

const credential = {
  id: credentialIdSchema,
  rawId: credentialIdSchema,
  type: z.literal('public-key'),
  authenticatorAttachment: optionalWord,
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}).describe('ignored'),
};

/** What a browser answers to options of a sign-in, as `AuthenticationResponseJSON` of WebAuthn. */
const assertionSchema = z.object({
  ...credential,
  response: z.object({ clientDataJSON: part, authenticatorData: part, signature: part, userHandle: part.optional() }),
});

/** What a browser answers to options of a new passkey, as `RegistrationResponseJSON` of WebAuthn. */
const attestationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: part,
    attestationObject: part,
    authenticatorData: part.optional(),
    transports: z.array(z.string().max(64)).max(16).optional(),
    publicKeyAlgorithm: z.int().optional(),
    publicKey: part.optional(),
  }),
});

const challengeIdSchema = idSchema('chl');

/** Body of signing in, or confirming it, with a passkey. */
const passkeyAnswerSchema = z
  .object({ challengeId: challengeIdSchema, response: assertionSchema })
  .register(requestSchemas, { id: 'PasskeyAnswer' });
export type PasskeyAnswer = z.infer<typeof passkeyAnswerSchema>;

/** Body of adding a passkey. */
const addPasskeyRequestSchema = z
  .object({
    challengeId: challengeIdSchema,
    response: attestationSchema,
    name: nameSchema.describe('name by which the person recognises the passkey'),
  })
  .register(requestSchemas, { id: 'AddPasskeyRequest' });
export type AddPasskeyRequest = z.infer<typeof addPasskeyRequestSchema>;

const requestSignInLinkRequestSchema = z
  .object({
    email: emailSchema,
    language: languageTagSchema.optional().describe('language of the email if the user has not set one'),
  })
  .register(requestSchemas, { id: 'RequestSignInLinkRequest' });

const firstOwnerSchema = z
  .object({
    email: emailSchema,
    name: nameSchema,
    language: languageTagSchema.optional().describe('language of emails to this person'),
    organisation: z
      .object({ name: nameSchema, country: countrySchema.nullable().optional() })
      .optional()
      .describe('organisation of the new account; ignored if the link is for an existing account'),
  })
  .describe('the first owner; only with the link that a new service prints');
export type FirstOwner = z.infer<typeof firstOwnerSchema>;

const signInWithLinkRequestSchema = z
  .object({
    token: z.string().min(1).max(200).describe('the part of the link after `#`'),
    owner: firstOwnerSchema.optional(),
  })
  .register(requestSchemas, { id: 'SignInWithLinkRequest' });

const updateOwnUserRequestSchema = z
  .object({
    name: nameSchema.optional(),
    language: languageTagSchema.nullable().optional(),
    mutedNotices: z
      .array(z.enum(noticeKinds))
      .max(noticeKinds.length)
      .optional()
      .describe('kinds of notices that the person gets no email about'),
  })
  .register(requestSchemas, { id: 'UpdateOwnUserRequest' });
export type UpdateOwnUserRequest = z.infer<typeof updateOwnUserRequestSchema>;

/** Query of the provider's redirect; what else a provider adds is not allowed to matter. */
const oidcCallbackQuerySchema = z.object({
  code: z.string().max(4_096).optional().describe('the authorisation code'),
  state: z.string().max(1_024).optional().describe('`state` of this attempt (OpenID Connect)'),
  iss: z.string().max(2_048).optional().describe('the issuer (RFC 9207)'),
  session_state: z.string().max(2_048).optional().describe('from OpenID session management; ignored'),
  scope: z.string().max(2_048).optional().describe('granted scopes; ignored'),
  authuser: z.string().max(256).optional().describe('sent by some providers; ignored'),
  hd: z.string().max(256).optional().describe('sent by some providers; ignored'),
  prompt: z.string().max(256).optional().describe('sent by some providers; ignored'),
  error: z.string().max(256).optional().describe('error code of the provider'),
  error_description: z.string().max(4_096).optional().describe('the provider’s explanation; not shown'),
  error_uri: z.string().max(2_048).optional().describe('the provider’s page about the error; ignored'),
});

/** How a person can sign in to this deployment. */
const signInMethodsSchema = z
  .object({
    passkey: z.boolean().describe('whether passkeys can be used'),
    mail: z.boolean().describe('whether sign-in links are sent by email'),
    oidc: z.object({ name: z.string() }).nullable().describe('the OpenID provider; null if none is configured'),
  })
  .register(responseSchemas, { id: 'SignInMethods' });

const credentialDescriptor = z.looseObject({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
});

/** Options for the browser's passkey dialog (`PublicKeyCredentialRequestOptionsJSON`). */
const passkeyChallengeSchema = z
  .object({
    challengeId: challengeIdSchema,
    options: z.looseObject({
      challenge: z.string(),
      rpId: z.string(),
      timeout: z.number(),
      userVerification: z.literal('required'),
      allowCredentials: z.array(credentialDescriptor).optional(),
    }),
  })
  .register(responseSchemas, { id: 'PasskeyChallenge' });
export type PasskeyChallenge = z.infer<typeof passkeyChallengeSchema>;

/** Options for the browser's dialog of a new passkey (`PublicKeyCredentialCreationOptionsJSON`). */
const newPasskeyChallengeSchema = z
  .object({
    challengeId: challengeIdSchema,
    options: z.looseObject({
      challenge: z.string(),
      rp: z.looseObject({ id: z.string(), name: z.string() }),
      user: z.looseObject({ id: z.string(), name: z.string(), displayName: z.string() }),
      pubKeyCredParams: z.array(z.looseObject({ type: z.literal('public-key'), alg: z.int() })),
      timeout: z.number(),
      excludeCredentials: z.array(credentialDescriptor),
    }),
  })
  .register(responseSchemas, { id: 'NewPasskeyChallenge' });
export type NewPasskeyChallenge = z.infer<typeof newPasskeyChallengeSchema>;

const passkeySchema = z
  .object({
    passkeyId: idSchema('psk'),
    name: z.string(),
    synced: z.boolean().describe('whether the passkey is synced between its owner’s devices'),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.nullable().describe('when the passkey was last used; null if never'),
  })
  .register(responseSchemas, { id: 'Passkey' });
export type PasskeyResource = z.infer<typeof passkeySchema>;

/** How a session began. */
const signInWays = ['passkey', 'mail', 'invitation', 'oidc'] as const;
export type SignInWay = (typeof signInWays)[number];

/** The signed-in person, what it may do, and what the dashboard needs to know of the deployment. */
const sessionSchema = z
  .object({
    sessionId: idSchema('ses'),
    user: z.object({
      userId: idSchema('usr'),
      name: z.string(),
      email: z.string(),
      role: userRoleSchema,
      language: z.string().nullable(),
      mutedNotices: z.array(z.enum(noticeKinds)),
    }),
    account: z.object({
      accountId: idSchema('acc'),
      name: z.string(),
      country: countrySchema.nullable(),
      billingCurrency: z.string(),
      mode: accountModeSchema,
    }),
    scopes: z.array(z.enum(apiKeyScopes)).describe('what the person can do'),
    csrfToken: z.string().describe(`send it in the header \`${CSRF_HEADER}\` of every request that changes something`),
    way: z.enum(signInWays).describe('how the person signed in'),
    authenticatedAt: timestampSchema.describe('when the person last signed in or confirmed with a passkey'),
    expiresAt: timestampSchema.describe('when the session ends, even if it is used'),
    passkeys: z.int().min(0).describe('number of the person’s passkeys'),
    deployment: z.object({
      apiUrl: z.string().nullable().describe('base URL of the API for servers; null: the dashboard’s own origin'),
      kioskUrl: z.string().nullable().describe('URL of the kiosk’s page; null if the deployment has none'),
      widgetUrl: z.string(),
      mail: z.boolean(),
      region: z.string(),
      models: servingModelsSchema.optional().describe('absent from nodes of version 0.2'),
    }),
  })
  .register(responseSchemas, { id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;

/** A session in the list of one's own. */
const ownSessionSchema = z
  .object({
    sessionId: idSchema('ses'),
    current: z.boolean().describe('whether this is the session of the request'),
    way: z.enum(signInWays),
    browser: z.string().nullable().describe('name of the browser, without a version; null if unknown'),
    platform: z.string().nullable().describe('operating system; null if unknown'),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.describe('when the session was last used, accurate to five minutes'),
    expiresAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'OwnSession' });
export type OwnSession = z.infer<typeof ownSessionSchema>;

const EXAMPLE_SESSION = {
  sessionId: exampleId('ses'),
  user: {
    userId: exampleId('usr'),
    name: 'Robin Example',
    email: 'robin@example.org',
    role: 'door' as const,
    language: 'en',
    mutedNotices: [],
  },
  account: {
    ...{ accountId: exampleId('acc'), name: 'Concerts Ltd', country: 'DE', billingCurrency: 'EUR' },
    mode: 'live' as const,
  },
  scopes: [...roleScopes.door],
  csrfToken: 'q8dSyE1m0s2h1Q1aG2nY3Zt0v9dP7rWc5uLxJk4bTfA',
  way: 'passkey' as const,
  authenticatedAt: '2026-05-01T18:30:00.000Z',
  expiresAt: '2026-05-15T18:30:00.000Z',
  passkeys: 1,
  deployment: {
    apiUrl: 'https://api.checkin.example.org',
    kioskUrl: 'https://kiosk.checkin.example.org/kiosk/',
    widgetUrl: 'https://widget.checkin.example.org/widget',
    mail: true,
    region: 'eu-1',
    models: EXAMPLE_MODELS,
  },
};
const EXAMPLE_PART = 'ZXhhbXBsZQ';
const EXAMPLE_CREDENTIAL = {
  id: EXAMPLE_PART,
  rawId: EXAMPLE_PART,
  type: 'public-key',
  clientExtensionResults: {},
} as const;
const EXAMPLE_ANSWER = {
  challengeId: exampleId('chl'),
  response: {
    ...EXAMPLE_CREDENTIAL,
    response: {
      clientDataJSON: EXAMPLE_PART,
      authenticatorData: EXAMPLE_PART,
      signature: EXAMPLE_PART,
      userHandle: EXAMPLE_PART,
    },
  },
};
const EXAMPLE_CHALLENGE = {
  challengeId: exampleId('chl'),
  options: {
    challenge: EXAMPLE_PART,
    rpId: 'checkin.example.org',
    timeout: 300_000,
    userVerification: 'required' as const,
  },
};
const EXAMPLE_PASSKEY = {
  passkeyId: exampleId('psk'),
  name: 'Laptop',
  synced: true,
  createdAt: '2026-05-01T18:30:00.000Z',
  lastUsedAt: null,
};

const SETS_COOKIE = { 'Set-Cookie': `the session, in \`${SESSION_COOKIE}\`: Secure, HttpOnly, SameSite=Lax` };

export const sessionOperations = {
  getSignInMethods: {
    summary: 'Read the ways to sign in',
    description: 'Returns the ways that this deployment offers, for the sign-in page.',
    success: {
      description: 'the ways to sign in',
      schema: signInMethodsSchema,
      example: { passkey: true, mail: true, oidc: { name: 'Example ID' } },
    },
  },
  beginPasskeySignIn: {
    summary: 'Begin signing in with a passkey',
    description:
      'The options name no user, so the browser offers all passkeys that it has for this site. A challenge works once, for five minutes.',
    success: { description: 'options for the browser', schema: passkeyChallengeSchema, example: EXAMPLE_CHALLENGE },
    errors: ['sign-in-unavailable'],
  },
  signInWithPasskey: {
    summary: 'Sign in with a passkey',
    description: 'Starts a new session, and ends the browser’s previous one.',
    request: { schema: passkeyAnswerSchema, example: EXAMPLE_ANSWER },
    success: { description: 'signed in', schema: sessionSchema, example: EXAMPLE_SESSION, headers: SETS_COOKIE },
    errors: ['sign-in-failed', 'account-suspended', 'sign-in-unavailable'],
    audit: 'session.start',
  },
  requestSignInLink: {
    summary: 'Request a sign-in link by email',
    description:
      'The response is the same whether or not the address belongs to a user. The link works once, for fifteen minutes.',
    request: { schema: requestSignInLinkRequestSchema, example: { email: 'robin@example.org', language: 'en' } },
    success: { status: 202, description: 'accepted; an email is sent if the address belongs to a user' },
    errors: ['sign-in-unavailable'],
  },
  signInWithLink: {
    summary: 'Sign in with a link',
    description:
      'For an invitation or a link sent by email; it works once. The page sends the token after it has loaded, so that an email program that opens links does not use it up. While no one can sign in, the service prints a link for the first owner. For this link, also send `owner`: the person becomes the owner of the only account, or of a new one.',
    request: {
      schema: signInWithLinkRequestSchema,
      example: { token: 'svcl_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm' },
    },
    success: { description: 'signed in', schema: sessionSchema, example: EXAMPLE_SESSION, headers: SETS_COOKIE },
    errors: ['link-invalid', 'account-suspended', 'sign-in-unavailable'],
    audit: 'session.start',
  },
  beginOidcSignIn: {
    summary: 'Begin signing in with an OpenID provider',
    description: 'Redirects the browser to the deployment’s OpenID provider (authorisation code flow with PKCE).',
    success: {
      status: 303,
      description: 'redirect to the provider, or to the sign-in page with `?error=…` if that is not possible',
      headers: { Location: 'target of the redirect', 'Set-Cookie': 'state of the attempt' },
    },
  },
  finishOidcSignIn: {
    summary: 'Finish signing in with an OpenID provider',
    description:
      'The provider redirects the browser here. Signs in a user who was invited and whose email address the provider has verified. Each attempt works once.',
    query: oidcCallbackQuerySchema,
    success: {
      status: 303,
      description: 'redirect to the dashboard, signed in; otherwise to the sign-in page with `?error=…`',
      headers: { Location: 'target of the redirect', 'Set-Cookie': 'the session' },
    },
  },
  getSession: {
    summary: 'Read your session',
    description: 'Returns who is signed in, with which rights, and the CSRF token for further requests.',
    success: { description: 'the session', schema: sessionSchema, example: EXAMPLE_SESSION },
  },
  signOut: {
    summary: 'Sign out',
    description: 'Ends the session at once and clears its cookie.',
    success: { status: 204, description: 'signed out', headers: { 'Set-Cookie': 'clears the session’s cookie' } },
    audit: 'session.end',
  },
  updateOwnUser: {
    summary: 'Change your own name, language or notices',
    description: 'Fields that you leave out stay. Only an owner can change your role; no one can change your address.',
    request: { schema: updateOwnUserRequestSchema, example: { language: 'de' } },
    success: { description: 'the session as it is now', schema: sessionSchema, example: EXAMPLE_SESSION },
    audit: 'user.update',
  },
  beginReauthentication: {
    summary: 'Begin confirming with a passkey',
    description: 'For operations that returned `reauthentication-required`. The options name your own passkeys.',
    success: { description: 'options for the browser', schema: passkeyChallengeSchema, example: EXAMPLE_CHALLENGE },
    errors: ['sign-in-unavailable', 'no-passkey'],
  },
  reauthenticate: {
    summary: 'Confirm with a passkey',
    description:
      'Use one of your own passkeys. It counts like a new sign-in, so repeat the refused request within ten minutes.',
    request: { schema: passkeyAnswerSchema, example: EXAMPLE_ANSWER },
    success: { description: 'confirmed', schema: sessionSchema, example: EXAMPLE_SESSION },
    errors: ['passkey-refused', 'sign-in-unavailable'],
    audit: 'session.confirm',
  },
  listOwnSessions: {
    summary: 'List your own sessions',
    description: 'Returns one page, newest first, of sessions that still work.',
    query: pageQuerySchema,
    success: {
      description: 'a page of sessions',
      schema: ownSessionSchema,
      example: {
        sessionId: EXAMPLE_SESSION.sessionId,
        current: true,
        way: 'passkey',
        browser: 'Firefox',
        platform: 'Linux',
        createdAt: '2026-05-01T18:30:00.000Z',
        lastUsedAt: '2026-05-01T18:30:00.000Z',
        expiresAt: '2026-05-15T18:30:00.000Z',
      },
    },
  },
  revokeOwnSession: {
    summary: 'End one of your own sessions',
    description: 'The session ends at once. It can be the session of this request.',
    success: { status: 204, description: 'ended' },
    audit: 'session.revoke',
  },
  beginPasskeyCreation: {
    summary: 'Begin adding a passkey',
    description: 'The options ask for a discoverable passkey with user verification (fingerprint, face or code).',
    success: {
      description: 'options for the browser',
      schema: newPasskeyChallengeSchema,
      example: {
        challengeId: exampleId('chl'),
        options: {
          challenge: EXAMPLE_PART,
          rp: { id: 'checkin.example.org', name: 'Face check-in' },
          user: { id: EXAMPLE_PART, name: 'robin@example.org', displayName: 'Robin Example' },
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          timeout: 300_000,
          excludeCredentials: [],
        },
      },
    },
    errors: ['sign-in-unavailable', 'passkey-limit-reached'],
  },
  addPasskey: {
    summary: 'Add a passkey',
    description: `Send the browser’s response to the options. A user can have ${MAX_PASSKEYS} passkeys.`,
    request: {
      schema: addPasskeyRequestSchema,
      example: {
        challengeId: exampleId('chl'),
        response: {
          ...EXAMPLE_CREDENTIAL,
          response: { clientDataJSON: EXAMPLE_PART, attestationObject: EXAMPLE_PART },
        },
        name: EXAMPLE_PASSKEY.name,
      },
    },
    success: { status: 201, description: 'added', schema: passkeySchema, example: EXAMPLE_PASSKEY },
    errors: ['passkey-refused', 'passkey-limit-reached', 'sign-in-unavailable'],
    audit: 'passkey.add',
  },
  listPasskeys: {
    summary: 'List your own passkeys',
    description: 'Returns one page, newest first.',
    query: pageQuerySchema,
    success: { description: 'a page of passkeys', schema: passkeySchema, example: EXAMPLE_PASSKEY },
  },
  deletePasskey: {
    summary: 'Delete one of your own passkeys',
    description: 'The passkey no longer works. You cannot delete your last one if it is your only way to sign in.',
    success: { status: 204, description: 'deleted' },
    errors: ['last-passkey'],
    audit: 'passkey.remove',
  },
} satisfies Descriptions;
