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
    '`owner` may do everything; `manager` everything but keys, users and the account’s name and country; `door` sees events and lists and pairs devices; `auditor` sees everything and changes nothing',
  );

/** Body of inviting a user. */
export const inviteUserRequestSchema = z
  .object({
    email: emailSchema,
    name: nameSchema,
    role: userRoleSchema,
    language: languageTagSchema.nullable().optional().describe('of mails to this person and of the dashboard'),
  })
  .register(requestSchemas, { id: 'InviteUserRequest' });
export type InviteUserRequest = z.infer<typeof inviteUserRequestSchema>;

/** Body of changing a user; what is absent stays. */
const updateUserRequestSchema = z
  .object({
    name: nameSchema.optional(),
    role: userRoleSchema.optional(),
    disabled: z.boolean().optional().describe('`true`: cannot sign in, until it is set to `false`'),
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
    state: z.enum(['invited', 'active', 'disabled']).describe('`invited` until the first sign-in'),
    createdAt: timestampSchema,
    lastSignedInAt: timestampSchema.nullable(),
    invitedUntil: timestampSchema.nullable().describe('end of the open invitation; null where none is'),
    passkeys: z.int().min(0),
  })
  .register(responseSchemas, { id: 'User' });
export type UserResource = z.infer<typeof userSchema>;

/** A user with the link that was not mailed. */
const invitedUserSchema = userSchema
  .extend({
    invitationUrl: z
      .string()
      .nullable()
      .describe('signs in once, shown only once: give it only to this person; null if it was sent by email'),
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

const ROLES =
  'Nobody gives, changes or takes away a role that has more rights than the caller’s own (`insufficient-scope`).';

export const userOperations = {
  inviteUser: {
    summary: 'Invite a user',
    description: `The person gets a link by mail that works once, within seven days; where the deployment sends no mail, the answer shows it. An account may have ${MAX_USERS} users, each address once. ${ROLES}`,
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
    description: 'One page, newest first. Nothing of it can be used to sign in.',
    query: pageQuerySchema,
    success: { description: 'a page of users', schema: userSchema, example: EXAMPLE_USER },
  },
  getUser: {
    summary: 'Read a user',
    description: 'As the page of users shows it.',
    success: { description: 'the user', schema: userSchema, example: EXAMPLE_USER },
  },
  updateUser: {
    summary: 'Change a user',
    description: `Name, role, and whether the person can sign in. A change of role and a disabling end the person’s sessions at once. The last owner who can sign in keeps role and access (\`last-owner\`). ${ROLES}`,
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
    description: `With its passkeys, links and sessions, which stop working at once. The audit log keeps the identifier, without name and address. The last owner cannot be removed. ${ROLES}`,
    success: { status: 204, description: 'removed' },
    errors: ['last-owner'],
    audit: 'user.remove',
  },
  renewInvitation: {
    summary: 'Invite a user again',
    description: `A new link, by mail or in the answer; links from before stop working. It is also the way back for somebody who lost every passkey. Not for a disabled user. ${ROLES}`,
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
    description: `Every session of this person ends at once; links that sign in stop working too. ${ROLES}`,
    success: { status: 204, description: 'signed out' },
    audit: 'user.revoke-sessions',
  },
} satisfies Descriptions;
