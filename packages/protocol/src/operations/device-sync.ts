import * as z from 'zod';
import {
  ATTENDANCES_HEADER,
  attendancesHeaderSchema,
  DEVICE_KEY_BYTES,
  DEVICE_KEY_HEADER,
  deviceKeyHeaderSchema,
  ENGINES_HEADER,
  enginesHeaderSchema,
  NONCE_BYTES,
  NONCE_HEADER,
  nonceHeaderSchema,
  SDK_VERSION_HEADER,
  SYNC_COUNTER_HEADER,
  SYNC_MEDIA_TYPE,
  sdkVersionHeaderSchema,
  syncCounterHeaderSchema,
  syncManifestSchema,
  syncQuerySchema,
} from '../sync.ts';
import type { Descriptions } from './descriptions.ts';

/** Headers of a sync; parsed one by one, as each has an error of its own. */
const syncHeadersSchema = z.object({
  [DEVICE_KEY_HEADER]: deviceKeyHeaderSchema.describe(
    `the device’s P-256 public key: uncompressed point, ${DEVICE_KEY_BYTES} bytes, base64url without padding; the first one is pinned`,
  ),
  [NONCE_HEADER]: nonceHeaderSchema.describe(`${NONCE_BYTES} fresh random bytes, base64url without padding`),
  [SYNC_COUNTER_HEADER]: syncCounterHeaderSchema.optional().meta({
    type: 'integer',
    minimum: 0,
    description: 'syncCounter of the last answer that the device keeps; left out before the first',
  }),
  [SDK_VERSION_HEADER]: sdkVersionHeaderSchema
    .optional()
    .describe('version of the device’s SDK, shown to the organiser; another text is ignored'),
  [ENGINES_HEADER]: enginesHeaderSchema
    .optional()
    .describe('engines that the device has, shown to the organiser; another text is ignored'),
  [ATTENDANCES_HEADER]: attendancesHeaderSchema
    .optional()
    .describe(
      'attendances that the device can serve: `staffed`, or `staffed, unattended`. The first on an unattended list is answered by a signed wipe; left out, or another text, by `device-unsuited`',
    ),
});

export const syncOperations = {
  syncDevice: {
    summary: 'Fetch the device’s copy of its list',
    description:
      'Answers one signed envelope: a manifest (see SyncManifest) and, where the device’s version is not the list’s, the sealed faces. A dead token of a revoked device, a deleted list, a suspended account or a list past its retention deadline still gets 200, with a signed command to wipe.',
    query: syncQuerySchema,
    headers: syncHeadersSchema,
    success: { description: 'the signed envelope', mediaType: SYNC_MEDIA_TYPE, part: syncManifestSchema },
    errors: ['device-key-invalid', 'nonce-invalid', 'device-key-mismatch', 'device-unsuited'],
  },
} satisfies Descriptions;
