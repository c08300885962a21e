import * as z from 'zod';
import {
  exampleId,
  idSchema,
  nameSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  secretSchema,
  timestampSchema,
} from '../common.ts';
import { metadataChangeSchema, metadataFilterSchema, metadataSchema } from '../metadata.ts';
import { attendances } from '../sync.ts';
import type { Descriptions } from './descriptions.ts';

const deviceNameSchema = nameSchema.nullable().optional().describe('null: none');

/** Body of adding a device; a missing body is read as `{}`. */
export const addDeviceRequestSchema = z
  .object({ name: deviceNameSchema, metadata: metadataChangeSchema })
  .register(requestSchemas, { id: 'AddDeviceRequest' });
export type AddDeviceRequest = z.infer<typeof addDeviceRequestSchema>;

/** Fields to change; absent ones stay. */
const updateDeviceRequestSchema = z
  .object({ name: deviceNameSchema, metadata: metadataChangeSchema })
  .register(requestSchemas, { id: 'UpdateDeviceRequest' });
export type UpdateDeviceRequest = z.infer<typeof updateDeviceRequestSchema>;

/**
 * `never-synced`: added, holds nothing yet. `fresh`: it synced within 15 minutes. `due`: it missed syncs, and verifies
 * on its lease. `lease-running-out`: six hours of the lease or fewer are left. `expired`: the lease has run out, so it
 * verifies nobody until it syncs. `copied`: two copies of it sync. `revoked`: it has not been told to wipe yet.
 * `wiped`: it was told to wipe, or has wiped itself, after thirty days without a sync or at the retention deadline.
 * `unsuited`: the list is unattended, and the device, which cannot serve that, got nothing.
 */
const deviceStates = [
  'never-synced',
  'fresh',
  'due',
  'lease-running-out',
  'expired',
  'copied',
  'revoked',
  'wiped',
  'unsuited',
] as const;
export type DeviceState = (typeof deviceStates)[number];

const packSchema = z.object({
  version: z.int().min(0).describe('version of the list'),
  people: z.int().min(0).describe('people in it'),
  isConfirmed: z
    .boolean()
    .describe('whether a later sync of the device told that it holds this version; else it was sent to the device'),
});

export const deviceSchema = z
  .object({
    id: idSchema('dev'),
    deviceId: idSchema('dev').describe('the same as `id`: what everything else calls it'),
    name: nameSchema
      .nullable()
      .describe('shown on the device’s own screen; null: that shows the last six characters of `id`'),
    createdAt: timestampSchema,
    expiresAt: timestampSchema
      .nullable()
      .describe('the list’s retention deadline; null on an ongoing list (until revoked or the list is deleted)'),
    lastSyncAt: timestampSchema
      .nullable()
      .describe('the last answer that it is known to have got; null before the first sync'),
    copiedAt: timestampSchema
      .nullable()
      .describe('when it was noticed that two copies of the device sync: revoke it, and add your own again'),
    revokedAt: timestampSchema.nullable(),
    state: z
      .enum(deviceStates)
      .describe(
        'what the service knows of it now, from its last sync. `never-synced`: holds nothing yet. `fresh`: synced within 15 minutes. `due`: missed syncs, verifies on its lease. `lease-running-out`: at most six hours of the lease are left. `expired`: verifies nobody until it syncs. `copied`: two copies of it sync. `revoked`: not told to wipe yet. `wiped`: told to wipe, or past the time at which it wipes itself. `unsuited`: its last sync gave it nothing, because the list is unattended, which it cannot serve; it was told to wipe, or, with an older SDK, verifies until `leaseEndsAt`',
      ),
    leaseEndsAt: timestampSchema
      .nullable()
      .describe('when it stops verifying unless it syncs before; null where it holds nothing'),
    pack: packSchema
      .nullable()
      .describe('its copy of the list; null where it holds none, and before its first sync with this version'),
    sdkVersion: z.string().nullable().describe('as its last sync told; null where that told none'),
    engineIds: z.array(z.string()).describe('engines that it has, as its last sync told'),
    attendances: z
      .array(z.enum(attendances))
      .optional()
      .describe(
        'attendances that it can serve, as its last answered sync told; empty where that told none. Nodes of 0.2 do not tell',
      ),
    metadata: metadataSchema.optional(),
  })
  .register(responseSchemas, { id: 'Device' });
export type DeviceResource = z.infer<typeof deviceSchema>;

/** Answer of adding a device; the token is never shown again. */
const addedDeviceSchema = deviceSchema
  .extend({
    token: secretSchema('svcd', 'shown once'),
    pairingUrl: z
      .string()
      .nullable()
      .describe(
        'opens the kiosk’s page with the token in the fragment, to be drawn as a QR code; as secret as the token. Null where the deployment does not know its kiosk’s address',
      ),
  })
  .register(responseSchemas, { id: 'AddedDevice' });
export type AddedDevice = z.infer<typeof addedDeviceSchema>;

const device = {
  id: exampleId('dev'),
  deviceId: exampleId('dev'),
  name: 'North gate 3',
  createdAt: '2026-05-01T08:15:00.000Z',
  expiresAt: '2026-06-20T23:00:00.000Z',
  lastSyncAt: null,
  copiedAt: null,
  revokedAt: null,
  state: 'never-synced',
  leaseEndsAt: null,
  pack: null,
  sdkVersion: null,
  engineIds: [],
  attendances: [],
} as const;

const syncedDevice = {
  ...device,
  lastSyncAt: '2026-06-20T17:58:12.000Z',
  state: 'fresh',
  leaseEndsAt: '2026-06-21T17:58:12.000Z',
  pack: { version: 512, people: 498, isConfirmed: true },
  sdkVersion: '0.1.0',
  engineIds: ['retail-0095-mirror/4'],
  attendances: ['staffed', 'unattended'],
} as const;

/** Query of the devices of a list. */
const deviceQuerySchema = pageQuerySchema.extend({
  revoked: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true`: those that were revoked; `false`: those that were not'),
  metadata: metadataFilterSchema,
});

/** Right length, wrong checksum: never a real token. */
const token = `svcd_${'0'.repeat(49)}`;

export const deviceOperations = {
  addDevice: {
    summary: 'Add a check-in device',
    description:
      'The response contains the device’s token, which is shown only once. A list that has ended accepts no more devices.',
    request: { schema: addDeviceRequestSchema, required: false, example: { name: 'North gate 3' } },
    success: {
      status: 201,
      description: 'added; the token is shown only once',
      schema: addedDeviceSchema,
      headers: { Location: 'path of the device' },
      example: { ...device, token, pairingUrl: `https://faces.example/kiosk/#${token}` },
    },
    errors: ['test-limit-reached', 'list-ended'],
    audit: 'device.add',
  },
  listDevices: {
    summary: 'List the devices of a list',
    description:
      'One page, newest first: those that are not revoked, or with `revoked=true` those that are. Tokens are never in it. What it tells of a device comes from the device’s last sync.',
    query: deviceQuerySchema,
    success: { description: 'a page of devices', schema: deviceSchema, example: syncedDevice },
  },
  getDevice: {
    summary: 'Read a device',
    description: 'A device that was revoked is not found.',
    success: { description: 'the device', schema: deviceSchema, example: syncedDevice },
  },
  updateDevice: {
    summary: 'Rename a device, or change its metadata',
    description: 'The device shows its new name from its next sync on. It never gets its metadata.',
    request: { schema: updateDeviceRequestSchema, example: { name: 'North gate 3' } },
    success: { description: 'the device', schema: deviceSchema, example: syncedDevice },
    audit: 'device.update',
  },
  revokeDevice: {
    summary: 'Revoke a device',
    description: 'The device wipes its copy at its next sync. A second revocation answers the same.',
    success: { status: 204, description: 'revoked' },
    audit: 'device.revoke',
  },
} satisfies Descriptions;
