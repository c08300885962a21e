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
  next: 'next: devices are told of it',
  former: 'former: devices still trust it',
} as const;

const COLUMNS: Columns<KeyStatus> = {
  'key id': 'keyId',
  'signing key': 'publicKey',
  'told of since': 'announcedAt',
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
    .description('The keys that devices believe the service by, and how they change over.');
  const signingKey = operationsOf(group, [], withSigningAdmin);
  signingKey({
    usage: 'status',
    does: 'Shows the signing keys that devices are told of, and how many devices know of the newest.',
    run: (admin) => admin.status(),
    text: shown,
  });
  signingKey({
    usage: 'create',
    does: 'Makes the next signing key. From here on devices are told of it, by the one that they trust.',
    options: [
      new Option(
        '--lost',
        'the present key is lost: the new one takes its place, and every device has to be set up anew',
      ),
      new Option('--yes', 'with --lost: do it'),
    ],
    request({ lost = false, ...given }: Given & { lost?: boolean }) {
      if (lost) requireYes(given, 'makes every device refuse its syncs until it is set up anew');
      return { lost };
    },
    run: (admin, _given, how) => admin.create(how),
    json: ({ status, value }) => (value === null ? status : { ...status, value }),
    text: ({ status, value }) => value?.trim() ?? shown(status),
    remark: ({ value }) =>
      value === null
        ? 'it stands in the file of signing keys: copy that to every node'
        : 'shown this once: on every node append it to the file of signing keys, or to SVC_SIGNING_KEY behind a comma and restart',
  });
  signingKey({
    usage: 'rotate',
    does: 'Lets the next signing key sign. Every node has it, and every device has been told of it.',
    options: [new Option('--force', 'although some devices have not: they refuse their syncs')],
    run: (admin, { force = false }: Given & { force?: boolean }) => admin.rotate({ force }),
    text: shown,
    remark: () => 'running nodes sign by it within seconds; the former key is trusted until it is retired',
  });
  signingKey({
    usage: 'retire',
    does: 'Tells devices of the former signing key no more: from their next sync on they take nothing signed by it.',
    run: (admin) => admin.retire(),
    text: shown,
    remark: () => 'take it out of every node’s settings; a file that this command may write to has it no more',
  });
}
