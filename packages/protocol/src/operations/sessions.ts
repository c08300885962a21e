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
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}).describe('not looked at'),
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
    name: nameSchema.describe('for the person to know it by'),
  })
  .register(requestSchemas, { id: 'AddPasskeyRequest' });
export type AddPasskeyRequest = z.infer<typeof addPasskeyRequestSchema>;

const requestSignInLinkRequestSchema = z
  .object({
    email: emailSchema,
    language: languageTagSchema.optional().describe('of the mail, for a user who has none'),
  })
  .register(requestSchemas, { id: 'RequestSignInLinkRequest' });

const firstOwnerSchema = z
  .object({
    email: emailSchema,
    name: nameSchema,
    language: languageTagSchema.optional().describe('of mails to this person'),
    organisation: z
      .object({ name: nameSchema, country: countrySchema.nullable().optional() })
      .optional()
      .describe('of the account that is made; not looked at where the link is for one that there is'),
  })
  .describe('who takes the link that a new service prints: the first owner');
export type FirstOwner = z.infer<typeof firstOwnerSchema>;

const signInWithLinkRequestSchema = z
  .object({
    token: z.string().min(1).max(200).describe('what the link has behind its `#`'),
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
      .describe('notices of which the person wants no mail'),
  })
  .register(requestSchemas, { id: 'UpdateOwnUserRequest' });
export type UpdateOwnUserRequest = z.infer<typeof updateOwnUserRequestSchema>;

/** Query of the provider's redirect; what else a provider adds is not allowed to matter. */
const oidcCallbackQuerySchema = z.object({
  code: z.string().max(4_096).optional().describe('the authorisation code'),
  state: z.string().max(1_024).optional().describe('of the attempt'),
  iss: z.string().max(2_048).optional().describe('the issuer (RFC 9207)'),
  session_state: z.string().max(2_048).optional().describe('of OpenID session management; not used'),
  scope: z.string().max(2_048).optional().describe('what was granted; not used'),
  authuser: z.string().max(256).optional().describe('of some providers; not used'),
  hd: z.string().max(256).optional().describe('of some providers; not used'),
  prompt: z.string().max(256).optional().describe('of some providers; not used'),
  error: z.string().max(256).optional().describe('why the provider refused'),
  error_description: z.string().max(4_096).optional().describe('the same in words; not shown'),
  error_uri: z.string().max(2_048).optional().describe('the same as an address; not used'),
});

/** How a person can sign in to this deployment. */
const signInMethodsSchema = z
  .object({
    passkey: z.boolean(),
    mail: z.boolean().describe('whether links are sent by mail'),
    oidc: z.object({ name: z.string() }).nullable().describe('another provider, where one is configured'),
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
    synced: z.boolean().describe('whether its owner’s devices share it'),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.nullable(),
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
    scopes: z.array(z.enum(apiKeyScopes)),
    csrfToken: z.string().describe(`for the header \`${CSRF_HEADER}\` of everything that changes something`),
    way: z.enum(signInWays).describe('how this session began'),
    authenticatedAt: timestampSchema.describe('when the person signed in or last confirmed it'),
    expiresAt: timestampSchema.describe('when the session ends at the latest'),
    passkeys: z.int().min(0),
    deployment: z.object({
      apiUrl: z.string().nullable().describe('where a server calls the API; null: at the dashboard’s own origin'),
      kioskUrl: z.string().nullable(),
      widgetUrl: z.string(),
      mail: z.boolean(),
      region: z.string(),
      models: servingModelsSchema.optional().describe('nodes of 0.2 do not tell'),
    }),
  })
  .register(responseSchemas, { id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;

/** A session in the list of one's own. */
const ownSessionSchema = z
  .object({
    sessionId: idSchema('ses'),
    current: z.boolean().describe('the one that asks'),
    way: z.enum(signInWays),
    browser: z.string().nullable().describe('its kind, without a version'),
    platform: z.string().nullable().describe('the operating system'),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.describe('to within five minutes'),
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
    summary: 'Read how one can sign in',
    description: 'For the page that asks for it.',
    success: {
      description: 'the ways',
      schema: signInMethodsSchema,
      example: { passkey: true, mail: true, oidc: { name: 'Example ID' } },
    },
  },
  beginPasskeySignIn: {
    summary: 'Begin to sign in with a passkey',
    description:
      'The options name nobody: the browser shows the passkeys that it has. A challenge works once, for five minutes.',
    success: { description: 'what to give the browser', schema: passkeyChallengeSchema, example: EXAMPLE_CHALLENGE },
    errors: ['sign-in-unavailable'],
  },
  signInWithPasskey: {
    summary: 'Sign in with a passkey',
    description: 'A new session with a new secret; the one that the browser had before ends.',
    request: { schema: passkeyAnswerSchema, example: EXAMPLE_ANSWER },
    success: { description: 'signed in', schema: sessionSchema, example: EXAMPLE_SESSION, headers: SETS_COOKIE },
    errors: ['sign-in-failed', 'account-suspended', 'sign-in-unavailable'],
    audit: 'session.start',
  },
  requestSignInLink: {
    summary: 'Ask for a link by mail',
    description:
      'The answer is the same whether the address is known or not. The link works once, for fifteen minutes.',
    request: { schema: requestSignInLinkRequestSchema, example: { email: 'robin@example.org', language: 'en' } },
    success: { status: 202, description: 'if the address is a user’s, a mail is on its way' },
    errors: ['sign-in-unavailable'],
  },
  signInWithLink: {
    summary: 'Sign in with a link',
    description:
      'With an invitation or a link by mail. It works once; the page sends it, so that a mail program that opens links does not use it up. The link that a service prints while nobody can sign in takes `owner` too, and makes this person the owner of the only account, or of a new one.',
    request: {
      schema: signInWithLinkRequestSchema,
      example: { token: 'svcl_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm' },
    },
    success: { description: 'signed in', schema: sessionSchema, example: EXAMPLE_SESSION, headers: SETS_COOKIE },
    errors: ['link-invalid', 'account-suspended', 'sign-in-unavailable'],
    audit: 'session.start',
  },
  beginOidcSignIn: {
    summary: 'Sign in with another provider',
    description:
      'For a browser: leads to the OpenID provider of the deployment, by the authorisation code flow with PKCE.',
    success: {
      status: 303,
      description: 'to the provider; to the sign-in page with `?error=…` where that cannot be',
      headers: { Location: 'where to', 'Set-Cookie': 'the attempt' },
    },
  },
  finishOidcSignIn: {
    summary: 'Come back from another provider',
    description:
      'Signs in a user who was invited and whose address the provider has verified. Each attempt works once.',
    query: oidcCallbackQuerySchema,
    success: {
      status: 303,
      description: 'to the dashboard, signed in; to the sign-in page with `?error=…` otherwise',
      headers: { Location: 'where to', 'Set-Cookie': 'the session' },
    },
  },
  getSession: {
    summary: 'Read one’s session',
    description: 'Who is signed in, with which rights, and the CSRF token for what follows.',
    success: { description: 'the session', schema: sessionSchema, example: EXAMPLE_SESSION },
  },
  signOut: {
    summary: 'Sign out',
    description: 'The session ends at once, and its cookie is cleared.',
    success: { status: 204, description: 'signed out', headers: { 'Set-Cookie': 'clears the session' } },
    audit: 'session.end',
  },
  updateOwnUser: {
    summary: 'Change one’s own name or language',
    description: 'What is absent stays. Address and role are for an owner to change.',
    request: { schema: updateOwnUserRequestSchema, example: { language: 'de' } },
    success: { description: 'the session as it is now', schema: sessionSchema, example: EXAMPLE_SESSION },
    audit: 'user.update',
  },
  beginReauthentication: {
    summary: 'Begin to confirm that it is you',
    description: 'Asked for before what nothing brings back. The options name the person’s own passkeys.',
    success: { description: 'what to give the browser', schema: passkeyChallengeSchema, example: EXAMPLE_CHALLENGE },
    errors: ['sign-in-unavailable', 'no-passkey'],
  },
  reauthenticate: {
    summary: 'Confirm that it is you',
    description: 'With one of the person’s own passkeys. For ten minutes the session may then do what needs it.',
    request: { schema: passkeyAnswerSchema, example: EXAMPLE_ANSWER },
    success: { description: 'confirmed', schema: sessionSchema, example: EXAMPLE_SESSION },
    errors: ['passkey-refused', 'sign-in-unavailable'],
    audit: 'session.confirm',
  },
  listOwnSessions: {
    summary: 'List one’s own sessions',
    description: 'One page, newest first, of those that still work.',
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
    summary: 'End one of one’s own sessions',
    description: 'At once; the present one too.',
    success: { status: 204, description: 'ended' },
    audit: 'session.revoke',
  },
  beginPasskeyCreation: {
    summary: 'Begin to add a passkey',
    description:
      'A passkey that can be found without a name, and that asks its owner for a fingerprint, a face or a code.',
    success: {
      description: 'what to give the browser',
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
    description: `With the browser’s answer to those options. A user may have ${MAX_PASSKEYS}.`,
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
    summary: 'List one’s own passkeys',
    description: 'One page, newest first.',
    query: pageQuerySchema,
    success: { description: 'a page of passkeys', schema: passkeySchema, example: EXAMPLE_PASSKEY },
  },
  deletePasskey: {
    summary: 'Delete one of one’s own passkeys',
    description: 'It signs in no more. The last one stays where there is no other way to sign in.',
    success: { status: 204, description: 'deleted' },
    errors: ['last-passkey'],
    audit: 'passkey.remove',
  },
} satisfies Descriptions;
