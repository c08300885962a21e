import * as z from 'zod';
import { SECRET_CHARS } from '../secrets.ts';
import { collectionSchema, idSchema, nameSchema, timestampSchema } from './common.ts';

/** Body of adding a device; no body at all reads as `{}`. */
export const addDeviceRequestSchema = z.object({ name: nameSchema.optional() });
export type AddDeviceRequest = z.infer<typeof addDeviceRequestSchema>;

export const deviceSchema = z.object({
  id: idSchema('dev'),
  name: nameSchema.nullable(),
  createdAt: timestampSchema,
  expiresAt: timestampSchema.nullable().meta({
    description: 'the list’s retention deadline; null on an ongoing list (until revoked or the list is deleted)',
  }),
  lastSyncAt: timestampSchema.nullable().meta({ description: 'null before the first sync' }),
  copiedAt: timestampSchema.nullable().meta({
    description: 'when it was noticed that two copies of the device sync: revoke it, and add those that are yours anew',
  }),
});
export type DeviceResource = z.infer<typeof deviceSchema>;

/** Answer of adding a device: the only time that its token is shown. */
export const addedDeviceSchema = deviceSchema.extend({
  token: z.string().meta({
    pattern: '^svcd_[0-9A-Za-z]{49}$',
    minLength: SECRET_CHARS,
    maxLength: SECRET_CHARS,
    description: 'shown once',
  }),
});
export type AddedDevice = z.infer<typeof addedDeviceSchema>;

export const deviceCollectionSchema = collectionSchema(deviceSchema);
