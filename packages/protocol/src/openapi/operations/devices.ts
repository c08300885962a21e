import { deviceId, exampleId, listId, type Operation, PAGE, page } from '../operation.ts';

const device = {
  id: exampleId('dev'),
  name: 'North gate 3',
  createdAt: '2026-05-01T08:15:00.000Z',
  expiresAt: '2026-06-20T23:00:00.000Z',
  lastSyncAt: null,
  copiedAt: null,
} as const;
/** Of the right length, and of nobody: its checksum is wrong. */
const token = `svcd_${'0'.repeat(49)}`;

export const deviceOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/lists/{listId}/devices',
    operationId: 'addDevice',
    tag: 'Devices',
    summary: 'Add a check-in device',
    description: 'The answer holds the device’s token, which is shown this once.',
    security: 'apiKey',
    parameters: [listId],
    request: { schema: 'AddDeviceRequest', required: false, example: { name: 'North gate 3' } },
    success: {
      status: 201,
      description: 'added; the token is shown this once',
      schema: 'AddedDevice',
      example: { ...device, token },
    },
    errors: ['not-found', 'list-ended'],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}/devices',
    operationId: 'listDevices',
    tag: 'Devices',
    summary: 'List the devices of a list',
    description: 'One page, newest first. Tokens are never in it.',
    security: 'apiKey',
    parameters: [listId, ...page],
    success: {
      status: 200,
      description: 'a page of devices that are not revoked',
      schema: 'DeviceCollection',
      example: { items: [device], nextCursor: null },
    },
    errors: [...PAGE, 'not-found'],
  },
  {
    method: 'delete',
    path: '/v1/lists/{listId}/devices/{deviceId}',
    operationId: 'revokeDevice',
    tag: 'Devices',
    summary: 'Revoke a device',
    description: 'The device wipes its copy at its next sync. A second revocation answers the same.',
    security: 'apiKey',
    parameters: [listId, deviceId],
    success: { status: 204, description: 'revoked' },
    errors: ['not-found'],
  },
];
