import type { SigningStatus } from '@svc/api';
import type { Command } from 'commander';
import { withAdmin, withSigningAdmin } from '../deployment.ts';
import { print, printJson, remark, table, timeOf } from '../output.ts';
import { type JsonOption, requireYes } from './options.ts';

export function registerRegion(program: Command): void {
  program
    .command('region')
    .description('Identity of a deployment.')
    .command('show')
    .description('Prints the public signing keys that devices of this deployment pin.')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const region = await withAdmin(async (admin) => admin.region());
      if (options.json) return printJson(region);
      print(`region       ${region.region}`);
      print(`key id       ${region.keyId}`);
      for (const key of region.signingKeys) print(`signing key  ${key}`);
    });
}

type KeyStatus = SigningStatus['keys'][number];

const ROLES = {
  signs: 'signs',
  next: 'next: devices are told of it',
  former: 'former: devices still trust it',
} as const;

function report({ keys, devices }: SigningStatus): string {
  const stateOf = (key: KeyStatus) => (key.atHand ? '' : key.role === 'former' ? 'not here' : 'NOT CONFIGURED HERE');
  const rows = keys.map((key) => [key.keyId, key.publicKey, timeOf(key.announcedAt), ROLES[key.role], stateOf(key)]);
  const newest = keys.at(-1)?.keyId ?? '';
  const told = `${devices.devices - devices.unaware} of ${devices.devices} devices know of ${newest}`;
  return `${table([['key id', 'signing key', 'told of since', '', ''], ...rows])}\n${told}`;
}

function show(status: SigningStatus, { json }: JsonOption): void {
  if (json) printJson(status);
  else print(report(status));
}

export function registerSigningKey(program: Command): void {
  const command = program
    .command('signing-key')
    .description('The keys that devices believe the service by, and how they change over.');
  command
    .command('status')
    .description('Shows the signing keys that devices are told of, and how many devices know of the newest.')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => show(await withSigningAdmin((admin) => admin.status()), options));
  command
    .command('create')
    .description('Makes the next signing key. From here on devices are told of it, by the one that they trust.')
    .option('--lost', 'the present key is lost: the new one takes its place, and every device has to be set up anew')
    .option('--yes', 'with --lost: do it')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { lost?: true; yes?: true }) => {
      if (options.lost) requireYes(options, 'makes every device refuse its syncs until it is set up anew');
      const { status, value } = await withSigningAdmin((admin) => admin.create({ lost: options.lost === true }));
      if (value === null) {
        show(status, options);
        remark('it stands in the file of signing keys: copy that to every node');
        return;
      }
      if (options.json) printJson({ ...status, value });
      else print(value.trim());
      remark(
        'shown this once: on every node append it to the file of signing keys, or to SVC_SIGNING_KEY behind a comma and restart',
      );
    });
  command
    .command('rotate')
    .description('Lets the next signing key sign. Every node has it, and every device has been told of it.')
    .option('--force', 'although some devices have not: they refuse their syncs')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { force?: true }) => {
      show(await withSigningAdmin((admin) => admin.rotate({ force: options.force === true })), options);
      remark('running nodes sign by it within seconds; the former key is trusted until it is retired');
    });
  command
    .command('retire')
    .description(
      'Tells devices of the former signing key no more: from their next sync on they take nothing signed by it.',
    )
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      show(await withSigningAdmin((admin) => admin.retire()), options);
      remark('take it out of every node’s settings; a file that this command may write to has it no more');
    });
}
