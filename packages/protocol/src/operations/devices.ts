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

const deviceNameSchema = nameSchema.nullable().optional().describe('name of the device; null: no name');

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
  version: z.int().min(0).describe('version of the list that the copy has'),
  people: z.int().min(0).describe('number of people in the copy'),
  isConfirmed: z
    .boolean()
    .describe('whether a later sync of the device confirmed this copy; if false, it is only known that it was sent'),
});

export const deviceSchema = z
  .object({
    id: idSchema('dev'),
    deviceId: idSchema('dev').describe('the same as `id`; other operations use this name'),
    name: nameSchema
      .nullable()
      .describe('name shown on the device’s screen; null: the screen shows the last six characters of `id`'),
    createdAt: timestampSchema,
    expiresAt: timestampSchema
      .nullable()
      .describe(
        'when the token expires: at the list’s retention deadline; null on an ongoing list, where it does not expire',
      ),
    lastSyncAt: timestampSchema.nullable().describe('when the device last synced; null before the first sync'),
    copiedAt: timestampSchema
      .nullable()
      .describe('when two copies of the device were noticed, or null. Revoke the device, and add your own again'),
    revokedAt: timestampSchema.nullable().describe('when the device was revoked; null if it was not'),
    state: z
      .enum(deviceStates)
      .describe(
        'state of the device as known from its last sync. The lease is how long a device can verify people without a sync: 24 hours. `never-synced`: has no data yet. `fresh`: synced in the last 15 minutes. `due`: missed syncs, but its lease is valid. `lease-running-out`: at most six hours of its lease are left. `expired`: verifies no one until it syncs. `copied`: two copies of the device sync. `revoked`: revoked, but has not received the wipe yet. `wiped`: received a wipe, or has been without a sync so long that it wiped itself. `unsuited`: cannot serve its list, which is unattended, so its last sync returned no data; it received a wipe or, with an older SDK, verifies until `leaseEndsAt`',
      ),
    leaseEndsAt: timestampSchema
      .nullable()
      .describe('when the device stops verifying people unless it syncs before; null if it has no data'),
    pack: packSchema
      .nullable()
      .describe(
        'the device’s copy of the list; null if it has none, or has not synced since the service recorded this',
      ),
    sdkVersion: z.string().nullable().describe('version of the device’s SDK, from its last sync; null if unknown'),
    engineIds: z.array(z.string()).describe('recognition engines that the device has, as reported by its last sync'),
    attendances: z
      .array(z.enum(attendances))
      .optional()
      .describe(
        'values of `attendance` that the device can serve, as reported by its last successful sync; empty if not reported. Absent from nodes of version 0.2',
      ),
    metadata: metadataSchema.optional(),
  })
  .register(responseSchemas, { id: 'Device' });
export type DeviceResource = z.infer<typeof deviceSchema>;

/** Answer of adding a device; the token is never shown again. */
const addedDeviceSchema = deviceSchema
  .extend({
    token: secretSchema('svcd', 'the device’s token; only shown in this response'),
    pairingUrl: z
      .string()
      .nullable()
      .describe(
        'URL of the kiosk’s page with the token in the fragment; show it as a QR code to pair the device, and keep it as secret as the token. Null if the deployment has no kiosk address',
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
    .describe('`true`: only revoked devices; `false`: only devices that are not revoked'),
  metadata: metadataFilterSchema,
});

/** Right length, wrong checksum: never a real token. */
const token = `svcd_${'0'.repeat(49)}`;

export const deviceOperations = {
  addDevice: {
    summary: 'Add a check-in device',
    description: 'Returns the device’s token, which is shown only once. A list that has ended accepts no new devices.',
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
      'Returns one page, newest first, without tokens: devices that are not revoked, or with `revoked=true` only revoked ones. Their state is as of their last sync.',
    query: deviceQuerySchema,
    success: { description: 'a page of devices', schema: deviceSchema, example: syncedDevice },
  },
  getDevice: {
    summary: 'Read a device',
    description: 'Returns the device as of its last sync. Returns 404 for a revoked device.',
    success: { description: 'the device', schema: deviceSchema, example: syncedDevice },
  },
  updateDevice: {
    summary: 'Rename a device, or change its metadata',
    description: 'The device shows its new name from its next sync on. Its metadata is never sent to it.',
    request: { schema: updateDeviceRequestSchema, example: { name: 'North gate 3' } },
    success: { description: 'the device', schema: deviceSchema, example: syncedDevice },
    audit: 'device.update',
  },
  revokeDevice: {
    summary: 'Revoke a device',
    description: 'The device wipes its copy of the list at its next sync. Revoking again changes nothing.',
    success: { status: 204, description: 'revoked' },
    audit: 'device.revoke',
  },
} satisfies Descriptions;
