import type { SigningStatus } from '@svc/api';
import { type Command, Option } from 'commander';
import { withSigningAdmin } from '../deployment.ts';
import { table } from '../output.ts';
import { type Columns, type Given, operationsOf, rows } from './operation.ts';
import { requireYes } from './options.ts';

export function registerRegion(program: Command): void {
  operationsOf(program.command('region').description('Identity of a deployment.'))({
    usage: 'show',
    does: 'Prints the public signing keys that devices of this deployment pin.',
    run: async (admin) => admin.region(),
    text: ({ region, keyId, signingKeys }) =>
      table([['region', region], ['key id', keyId], ...signingKeys.map((key) => ['signing key', key])]),
  });
}

type KeyStatus = SigningStatus['keys'][number];

const ROLES = {
  signs: 'signs',
  next: 'next: announced to devices',
  former: 'former: devices still trust it',
} as const;

const COLUMNS: Columns<KeyStatus> = {
  'key id': 'keyId',
  'signing key': 'publicKey',
  announced: 'announcedAt',
  '': ({ role }) => ROLES[role],
  ' ': ({ role, atHand }) => (atHand ? '' : role === 'former' ? 'not here' : 'NOT CONFIGURED HERE'),
};

function shown({ keys, devices }: SigningStatus): string {
  const newest = keys.at(-1)?.keyId ?? '';
  return `${rows(keys, COLUMNS)}\n${devices.devices - devices.unaware} of ${devices.devices} devices know of ${newest}`;
}

export function registerSigningKey(program: Command): void {
  const group = program
    .command('signing-key')
    .description('The keys by which devices trust the service, and how to change them.');
  const signingKey = operationsOf(group, [], withSigningAdmin);
  signingKey({
    usage: 'status',
    does: 'Shows the signing keys announced to devices, and how many devices know the newest.',
    run: (admin) => admin.status(),
    text: shown,
  });
  signingKey({
    usage: 'create',
    does: 'Creates the next signing key. From now on it is announced to devices, signed by the current one.',
    options: [
      new Option('--lost', 'the current key is lost: the new one replaces it, and every device has to be set up again'),
      new Option('--yes', 'confirms --lost'),
    ],
    request({ lost = false, ...given }: Given & { lost?: boolean }) {
      if (lost) requireYes(given, 'makes every device refuse its syncs until it is set up again');
      return { lost };
    },
    run: (admin, _given, how) => admin.create(how),
    json: ({ status, value }) => (value === null ? status : { ...status, value }),
    text: ({ status, value }) => value?.trim() ?? shown(status),
    remark: ({ value }) =>
      value === null
        ? 'it is in the file of signing keys: copy that file to every node'
        : 'shown only once: on every node append it to the file of signing keys, or to SVC_SIGNING_KEY after a comma and restart',
  });
  signingKey({
    usage: 'rotate',
    does: 'Starts signing with the next key, once every node has it and every device knows it.',
    options: [new Option('--force', 'even if some devices do not know it: they will refuse their syncs')],
    run: (admin, { force = false }: Given & { force?: boolean }) => admin.rotate({ force }),
    text: shown,
    remark: () => 'running nodes sign with it within seconds; the former key is trusted until it is retired',
  });
  signingKey({
    usage: 'retire',
    does: 'Retires the former signing key: from their next sync on, devices accept nothing signed with it.',
    run: (admin) => admin.retire(),
    text: shown,
    remark: () => 'remove it from the settings of every node; a file that this command can write to no longer has it',
  });
}
