import type { Command } from 'commander';
import { everything } from '../deployment.ts';
import { drawTerminalCode } from '../terminal-code.ts';
import { type Given, operationsOf, optional, required } from './operation.ts';
import { type MetadataOption, metadataOption, name } from './options.ts';

export function registerDevice(program: Command): void {
  const device = operationsOf(program.command('device').description('Check-in devices of a list.'), [
    required('--account <id>', 'account the list belongs to'),
    required('--list <id>', 'list that the device has a copy of'),
  ]);
  device({
    usage: 'add',
    does: 'Adds a device and prints its token. Only its hash is stored: it cannot be shown again.',
    options: [
      optional('--name <name>', 'where the device stands', name),
      metadataOption(),
      optional('--no-qr', 'on a terminal, print only the token, without the QR code that pairs a kiosk'),
    ],
    run: ({ devices }, { account, list, name, metadata }: Given & MetadataOption & { name?: string; qr: boolean }) =>
      devices.add(account, list, { name, metadata }),
    text: ({ token }) => token,
    remark({ token, pairingUrl, device: { deviceId } }, { json, qr }) {
      const told = `device ${deviceId}: its token is shown only once, save it now`;
      // A pipe or a log would keep the secret in a second place.
      if (json || !qr || !process.stdout.isTTY || !process.stderr.isTTY) return told;
      const how =
        pairingUrl === null
          ? 'scan it on the pairing screen of the kiosk. SVC_KIOSK_URL is not set, so it has the token without an address'
          : 'scan it with the camera of the device, or on the pairing screen of the kiosk. It is as secret as the token';
      return [told, `\n${drawTerminalCode(pairingUrl ?? token)}`, how];
    },
  });
  device({
    usage: 'list',
    does: 'Lists the devices that are not revoked, newest first.',
    run: ({ devices }, { account, list }) => everything((page) => devices.page(account, list, page)),
    columns: {
      device: 'deviceId',
      'last sync': 'lastSyncAt',
      expires: 'expiresAt',
      copied: 'copiedAt',
      name: 'name',
    },
  });
  device({
    usage: 'revoke <id>',
    does: 'Revokes a device: it wipes its copy at its next sync.',
    run: ({ devices }, { account, list, id }) => devices.revoke(account, list, id),
    done: 'revoked',
  });
}
