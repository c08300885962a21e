import { text } from 'node:stream/consumers';
import { type ApiKeyScope, apiKeyScopes } from '@svc/protocol';
import type { Command } from 'commander';
import { facts, type Given, operationsOf, optional, required } from './operation.ts';
import { type MetadataOption, metadataOption, name, time } from './options.ts';

interface NewKey extends MetadataOption {
  readonly name: string;
  readonly scope?: readonly ApiKeyScope[];
  readonly expires?: Date;
}

export function registerKey(program: Command): void {
  const keys = program.command('key').description('API keys of an account.');
  operationsOf(keys)({
    usage: 'identify',
    does: 'Shows the account of the API key on standard input, and what it may do.',
    run: async (admin) => admin.keys.identify((await text(process.stdin)).trim()),
    text: ({ account, key }) =>
      facts({
        ...{ account: account.accountId, name: account.name, plan: account.plan ?? 'none' },
        ...{ key: key?.keyId, for: key?.name, scopes: key?.scopes ?? 'all', expires: key?.expiresAt },
      }),
  });
  const key = operationsOf(keys, [required('--account <id>', 'account the key belongs to')]);
  key({
    usage: 'create',
    does: 'Creates an API key and prints it. Only its hash is stored: it cannot be shown again.',
    options: [
      optional('--name <name>', 'what the key is for', name).default('svc'),
      optional('--scope <scope...>', 'what it may do; without it, everything').choices(apiKeyScopes),
      optional('--expires <time>', 'when it stops working, ISO 8601 in UTC; without it, never', time),
      metadataOption(),
    ],
    run: ({ keys }, { account, name, scope: scopes, expires: expiresAt, metadata }: Given & NewKey) =>
      keys.create(account, name, { scopes, expiresAt, metadata }),
    text: ({ apiKey }) => apiKey,
    remark: ({ keyId }) => `key ${keyId}: shown only once, save it now`,
  });
  key({
    usage: 'list',
    does: 'Lists the API keys by name, including revoked ones. The keys themselves are not stored.',
    run: ({ keys }, { account }) => keys.list(account),
    columns: {
      key: 'keyId',
      created: 'createdAt',
      'last used': 'lastUsedAt',
      expires: 'expiresAt',
      revoked: 'revokedAt',
      scopes: ({ scopes }) => scopes ?? 'all',
      name: 'name',
    },
  });
  key({
    usage: 'revoke <id>',
    does: 'Revokes an API key; it stops working at once.',
    run: ({ keys }, { account, id }) => keys.revoke(account, id),
    done: 'revoked',
  });
}
