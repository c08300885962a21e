import { type ApiKeyScope, apiKeyScopes } from '@svc/protocol/endpoints';

/** What a key may be allowed to read or change. */
export interface Area {
  readonly name: string;
  readonly read: ApiKeyScope | null;
  readonly write: ApiKeyScope | null;
}

/** The rights by what they are about, in the order of the protocol. */
export const areas: readonly Area[] = [...new Set(apiKeyScopes.map((scope) => scope.split(':')[0] ?? ''))].map(
  (name) => {
    const find = (kind: string) => apiKeyScopes.find((scope) => scope === `${name}:${kind}`) ?? null;
    return { name, read: find('read'), write: find('write') };
  },
);

export const expiryDays = ['never', '30', '90', '365'] as const;
export type Expiry = (typeof expiryDays)[number];

/** ISO 8601; undefined for a key that does not expire. */
export const expiryOf = (expiry: Expiry, nowMs: number): string | undefined =>
  expiry === 'never' ? undefined : new Date(nowMs + Number(expiry) * 86_400_000).toISOString();
