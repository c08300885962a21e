import * as z from 'zod';
import { SECRET_CHARS } from '../secrets.ts';
import { answered, exampleId, idSchema, nameSchema, pageQuerySchema, sent, timestampSchema } from './common.ts';
import type { Descriptions } from './descriptions.ts';

/** Body of adding a device; a missing body is read as `{}`. */
export const addDeviceRequestSchema = z
  .object({ name: nameSchema.optional() })
  .register(sent, { id: 'AddDeviceRequest' });
export type AddDeviceRequest = z.infer<typeof addDeviceRequestSchema>;

/** Fields to change; absent ones stay. */
export const updateDeviceRequestSchema = z
  .object({ name: nameSchema.optional() })
  .register(sent, { id: 'UpdateDeviceRequest' });
export type UpdateDeviceRequest = z.infer<typeof updateDeviceRequestSchema>;

export const deviceSchema = z
  .object({
    id: idSchema('dev'),
    name: nameSchema.nullable().meta({
      description: 'shown on the device’s own screen; null: that shows the last six characters of `id`',
    }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.nullable().meta({
      description: 'the list’s retention deadline; null on an ongoing list (until revoked or the list is deleted)',
    }),
    lastSyncAt: timestampSchema.nullable().meta({ description: 'null before the first sync' }),
    copiedAt: timestampSchema.nullable().meta({
      description:
        'when it was noticed that two copies of the device sync: revoke it, and add those that are yours anew',
    }),
  })
  .register(answered, { id: 'Device' });
export type DeviceResource = z.infer<typeof deviceSchema>;

/** Answer of adding a device; the token is never shown again. */
export const addedDeviceSchema = deviceSchema
  .extend({
    token: z.string().meta({
      pattern: '^svcd_[0-9A-Za-z]{49}$',
      minLength: SECRET_CHARS,
      maxLength: SECRET_CHARS,
      description: 'shown once',
    }),
    pairingUrl: z.string().nullable().meta({
      description:
        'opens the kiosk’s page with the token in the fragment, to be drawn as a QR code; as secret as the token. Null where the deployment does not know its kiosk’s address',
    }),
  })
  .register(answered, { id: 'AddedDevice' });
export type AddedDevice = z.infer<typeof addedDeviceSchema>;

const device = {
  id: exampleId('dev'),
  name: 'North gate 3',
  createdAt: '2026-05-01T08:15:00.000Z',
  expiresAt: '2026-06-20T23:00:00.000Z',
  lastSyncAt: null,
  copiedAt: null,
} as const;
/** Right length, wrong checksum: never a real token. */
const token = `svcd_${'0'.repeat(49)}`;

export const deviceOperations = {
  addDevice: {
    summary: 'Add a check-in device',
    description: 'The answer holds the device’s token, which is shown this once.',
    request: { schema: addDeviceRequestSchema, required: false, example: { name: 'North gate 3' } },
    success: {
      status: 201,
      description: 'added; the token is shown this once',
      schema: addedDeviceSchema,
      example: { ...device, token, pairingUrl: `https://faces.example/kiosk/#${token}` },
    },
    errors: ['list-ended'],
    audit: 'device.add',
  },
  listDevices: {
    summary: 'List the devices of a list',
    description: 'One page, newest first. Tokens are never in it.',
    query: pageQuerySchema,
    success: {
      description: 'a page of devices that are not revoked',
      schema: deviceSchema,
      example: device,
    },
  },
  getDevice: {
    summary: 'Read a device',
    description: 'A device that was revoked is not found.',
    success: { description: 'the device', schema: deviceSchema, example: device },
  },
  updateDevice: {
    summary: 'Rename a device',
    description: 'The device shows its new name from its next sync on.',
    request: { schema: updateDeviceRequestSchema, example: { name: 'North gate 3' } },
    success: { description: 'the device', schema: deviceSchema, example: device },
    audit: 'device.update',
  },
  revokeDevice: {
    summary: 'Revoke a device',
    description: 'The device wipes its copy at its next sync. A second revocation answers the same.',
    success: { status: 204, description: 'revoked' },
    audit: 'device.revoke',
  },
} satisfies Descriptions;
