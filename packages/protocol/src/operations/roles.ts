import { type ApiKeyScope, apiKeyScopes } from './endpoints.ts';

/** Roles of an account's users, those with the most rights first. */
export const userRoles = ['owner', 'manager', 'door', 'auditor'] as const;
export type UserRole = (typeof userRoles)[number];

const NOT_OF_MANAGERS: ReadonlySet<ApiKeyScope> = new Set(['keys:read', 'keys:write', 'users:write', 'account:write']);

/** The scopes of each role. An owner has all, also those to come. */
export const roleScopes: Readonly<Record<UserRole, readonly ApiKeyScope[]>> = {
  owner: apiKeyScopes,
  manager: apiKeyScopes.filter((scope) => !NOT_OF_MANAGERS.has(scope)),
  door: ['events:read', 'lists:read', 'devices:read', 'devices:write'],
  auditor: apiKeyScopes.filter((scope) => scope.endsWith(':read')),
};
