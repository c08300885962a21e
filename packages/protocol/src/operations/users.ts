import * as z from 'zod';
import {
  exampleId,
  idSchema,
  languageTagSchema,
  nameSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import { MAX_EMAIL_CHARS, MAX_USERS } from '../limits.ts';
import type { Descriptions } from './descriptions.ts';
import { userRoles } from './roles.ts';

/** An e-mail address as it is typed; compared without regard to case. */
export const emailSchema = z
  .string()
  .max(MAX_EMAIL_CHARS, { error: `must be an email address of at most ${MAX_EMAIL_CHARS} characters` })
  .regex(/^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\].]+$/, { error: 'must be an email address' })
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), { error: 'must be an email address' })
  .meta({ examples: ['robin@example.org'] });

export const userRoleSchema = z
  .enum(userRoles)
  .describe(
    '`owner` can do everything. `manager` can do everything except manage API keys and users, and change the account’s name and country. `door` can read events and lists, and pair devices. `auditor` can read everything and change nothing',
  );

/** Body of inviting a user. */
export const inviteUserRequestSchema = z
  .object({
    email: emailSchema,
    name: nameSchema,
    role: userRoleSchema,
    language: languageTagSchema.nullable().optional().describe('language of the dashboard and of emails to the user'),
  })
  .register(requestSchemas, { id: 'InviteUserRequest' });
export type InviteUserRequest = z.infer<typeof inviteUserRequestSchema>;

/** Body of changing a user; what is absent stays. */
const updateUserRequestSchema = z
  .object({
    name: nameSchema.optional(),
    role: userRoleSchema.optional(),
    disabled: z.boolean().optional().describe('`true`: the user cannot sign in until you set this to `false`'),
  })
  .register(requestSchemas, { id: 'UpdateUserRequest' });
export type UpdateUserRequest = z.infer<typeof updateUserRequestSchema>;

const userSchema = z
  .object({
    userId: idSchema('usr'),
    email: z.string(),
    name: z.string(),
    role: userRoleSchema,
    language: z.string().nullable(),
    state: z
      .enum(['invited', 'active', 'disabled'])
      .describe('`invited` until the first sign-in; `disabled`: cannot sign in'),
    createdAt: timestampSchema,
    lastSignedInAt: timestampSchema.nullable().describe('null if the user has never signed in'),
    invitedUntil: timestampSchema.nullable().describe('when the open invitation expires; null if there is none'),
    passkeys: z.int().min(0).describe('number of passkeys'),
  })
  .register(responseSchemas, { id: 'User' });
export type UserResource = z.infer<typeof userSchema>;

/** A user with the link that was not mailed. */
const invitedUserSchema = userSchema
  .extend({
    invitationUrl: z
      .string()
      .nullable()
      .describe('works once and is only shown in this response; give it to no one else. Null if it was sent by email'),
  })
  .register(responseSchemas, { id: 'InvitedUser' });
export type InvitedUser = z.infer<typeof invitedUserSchema>;

const EXAMPLE_USER = {
  userId: exampleId('usr'),
  email: 'robin@example.org',
  name: 'Robin Example',
  role: 'manager',
  language: 'en',
  state: 'invited',
  createdAt: '2026-05-01T18:30:00.000Z',
  lastSignedInAt: null,
  invitedUntil: '2026-05-08T18:30:00.000Z',
  passkeys: 0,
} as const;

const ROLES = 'You cannot give, change or take away a role that has more rights than your own (`insufficient-scope`).';

export const userOperations = {
  inviteUser: {
    summary: 'Invite a user',
    description: `The person gets a link by email that works once, for seven days. If the deployment sends no email, the response has the link. An account can have ${MAX_USERS} users, each with a different address. ${ROLES}`,
    request: {
      schema: inviteUserRequestSchema,
      example: { email: EXAMPLE_USER.email, name: EXAMPLE_USER.name, role: EXAMPLE_USER.role, language: 'en' },
    },
    success: {
      status: 201,
      description: 'invited',
      schema: invitedUserSchema,
      headers: { Location: 'path of the user' },
      example: { ...EXAMPLE_USER, invitationUrl: null },
    },
    errors: ['user-exists', 'user-limit-reached', 'sign-in-unavailable'],
    audit: 'user.invite',
  },
  listUsers: {
    summary: 'List users',
    description: 'Returns one page, newest first, without secrets.',
    query: pageQuerySchema,
    success: { description: 'a page of users', schema: userSchema, example: EXAMPLE_USER },
  },
  getUser: {
    summary: 'Read a user',
    description: 'Returns the user, as in the list of users.',
    success: { description: 'the user', schema: userSchema, example: EXAMPLE_USER },
  },
  updateUser: {
    summary: 'Change a user',
    description: `Changes the name, the role, or whether the person can sign in. If you change the role or disable the user, the user’s sessions end at once. You cannot do either to the last owner who can sign in (\`last-owner\`). ${ROLES}`,
    request: { schema: updateUserRequestSchema, example: { role: 'auditor' } },
    success: {
      description: 'the user as it is now',
      schema: userSchema,
      example: { ...EXAMPLE_USER, role: 'auditor' },
    },
    errors: ['last-owner'],
    audit: 'user.update',
  },
  removeUser: {
    summary: 'Remove a user',
    description: `The user’s passkeys, links and sessions stop working at once. The audit log keeps the user’s ID, but no name or address. You cannot remove the last owner (\`last-owner\`). ${ROLES}`,
    success: { status: 204, description: 'removed' },
    errors: ['last-owner'],
    audit: 'user.remove',
  },
  renewInvitation: {
    summary: 'Invite a user again',
    description: `Creates a new link, sent by email or shown in the response; earlier links stop working. Also use it for a person who lost all passkeys. Does not work for a disabled user (\`user-disabled\`). ${ROLES}`,
    success: {
      status: 201,
      description: 'invited again',
      schema: invitedUserSchema,
      headers: { Location: 'path of the user' },
      example: { ...EXAMPLE_USER, invitationUrl: null },
    },
    errors: ['user-disabled', 'sign-in-unavailable'],
    audit: 'user.renew-invitation',
  },
  revokeUserSessions: {
    summary: 'Sign a user out everywhere',
    description: `Ends all sessions of the user at once; sign-in links stop working too. ${ROLES}`,
    success: { status: 204, description: 'signed out' },
    audit: 'user.revoke-sessions',
  },
} satisfies Descriptions;
