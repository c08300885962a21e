import type { Command } from 'commander';
import { everything, withAdmin } from '../deployment.ts';
import { print, printJson, remark, table, timeOf } from '../output.ts';
import { drawTerminalCode } from '../terminal-code.ts';
import { type AccountOptions, name } from './options.ts';

interface ListOptions extends AccountOptions {
  readonly list: string;
}

export function registerDevice(program: Command): void {
  const device = program.command('device').description('Check-in devices of a list.');
  device
    .command('add')
    .description('Adds a device and prints its token. Only its hash is stored: it cannot be shown again.')
    .requiredOption('--account <id>', 'account the list belongs to')
    .requiredOption('--list <id>', 'list that the device holds a copy of')
    .option('--name <name>', 'where the device stands', name)
    .option('--no-qr', 'on a terminal, print the token alone, without the QR code that pairs a kiosk')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions & { name?: string; qr: boolean }) => {
      const added = await withAdmin((admin) => admin.devices.add(options.account, options.list, options.name));
      const { token, pairingUrl } = added;
      if (options.json) printJson(added);
      else print(token);
      remark(`device ${added.device.deviceId}: its token is shown this once, keep it now`);
      // A pipe or a log would keep the secret in a second place.
      if (options.json || !options.qr || !process.stdout.isTTY || !process.stderr.isTTY) return;
      remark(`\n${drawTerminalCode(pairingUrl ?? token)}`);
      remark(
        pairingUrl === null
          ? 'scan it on the pairing screen of the kiosk. SVC_KIOSK_URL is not set, so it holds the token without an address'
          : 'scan it with the camera of the device, or on the pairing screen of the kiosk. It is as secret as the token',
      );
    });
  device
    .command('list')
    .description('Lists the devices that are not revoked, newest first.')
    .requiredOption('--account <id>', 'account the list belongs to')
    .requiredOption('--list <id>', 'list of the devices')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      const devices = await withAdmin((admin) =>
        everything((page) => admin.devices.page(options.account, options.list, page)),
      );
      if (options.json) return printJson(devices);
      const rows = devices.map((each) => [
        each.deviceId,
        timeOf(each.lastSyncAt),
        timeOf(each.expiresAt),
        timeOf(each.copiedAt),
        each.name ?? '',
      ]);
      print(table([['device', 'last sync', 'expires', 'copied', 'name'], ...rows]));
    });
  device
    .command('revoke')
    .description('Revokes a device: it wipes its copy at its next sync.')
    .argument('<deviceId>', 'ID that device list shows')
    .requiredOption('--account <id>', 'account the list belongs to')
    .requiredOption('--list <id>', 'list of the device')
    .option('--json', 'print JSON')
    .action(async (deviceId: string, options: ListOptions) => {
      await withAdmin((admin) => admin.devices.revoke(options.account, options.list, deviceId));
      if (options.json) printJson({ deviceId, revoked: true });
      remark(`device ${deviceId}: revoked`);
    });
}
