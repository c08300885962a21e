import * as z from 'zod';
import {
  admissionsAnswerSchema,
  admissionsRequestSchema,
  SIGNATURE_HEADER,
  signatureHeaderSchema,
} from '../admissions.ts';
import { exampleId } from '../common.ts';
import {
  ATTENDANCES_HEADER,
  attendancesHeaderSchema,
  DEVICE_KEY_BYTES,
  DEVICE_KEY_HEADER,
  deviceKeyHeaderSchema,
  ENGINES_HEADER,
  enginesHeaderSchema,
  MAX_INLINE_PAYLOAD_BYTES,
  NONCE_BYTES,
  NONCE_HEADER,
  nonceHeaderSchema,
  PAYLOADS_HEADER,
  payloadQuerySchema,
  payloadsHeaderSchema,
  SDK_VERSION_HEADER,
  SYNC_COUNTER_HEADER,
  SYNC_MEDIA_TYPE,
  sdkVersionHeaderSchema,
  syncCounterHeaderSchema,
  syncManifestSchema,
  syncQuerySchema,
} from '../sync.ts';
import type { Descriptions } from './descriptions.ts';

const EXAMPLE_TIME = '2026-05-01T19:04:00.000Z';

/** Headers of a sync; parsed one by one, as each has an error of its own. */
const syncHeadersSchema = z.object({
  [DEVICE_KEY_HEADER]: deviceKeyHeaderSchema.describe(
    `the device’s P-256 public key: an uncompressed point of ${DEVICE_KEY_BYTES} bytes in base64url without padding. The first key that the device sends is pinned to its token`,
  ),
  [NONCE_HEADER]: nonceHeaderSchema.describe(`${NONCE_BYTES} fresh random bytes in base64url without padding`),
  [SYNC_COUNTER_HEADER]: syncCounterHeaderSchema.optional().meta({
    type: 'integer',
    minimum: 0,
    description: '`syncCounter` of the last response that the device stored; left out before the first one',
  }),
  [SDK_VERSION_HEADER]: sdkVersionHeaderSchema
    .optional()
    .describe('version of the device’s SDK, shown as `sdkVersion`; invalid values are ignored'),
  [ENGINES_HEADER]: enginesHeaderSchema
    .optional()
    .describe(
      'recognition engines of the device, separated by commas, shown as `engineIds`; invalid values are ignored',
    ),
  [ATTENDANCES_HEADER]: attendancesHeaderSchema
    .optional()
    .describe(
      'values of `attendance` that the device can serve: `staffed`, or `staffed, unattended`. On an unattended list, `staffed` gets a signed wipe; if the header is missing or invalid, the response is `device-unsuited`',
    ),
  [PAYLOADS_HEADER]: payloadsHeaderSchema
    .optional()
    .describe(
      `how the device takes payloads above ${MAX_INLINE_PAYLOAD_BYTES} bytes. \`by-link\`: the manifest has a link (\`payloadUrl\`). Any other value, or none: in the response. \`gone\`, \`unavailable\` and \`mismatch\` also report why a link has just failed`,
    ),
});

export const syncOperations = {
  syncDevice: {
    summary: 'Sync a device with its list',
    description:
      'Returns a signed envelope with a manifest (see SyncManifest; docs/internals/sync.md explains its fields) and, if the device’s copy is outdated, the encrypted face records. An epoch in the manifest stands for the records encrypted with one list key for one engine. If the device was revoked, its list was deleted or is past its retention deadline, or the account is suspended, the response is still 200, with a signed command to wipe all data.',
    query: syncQuerySchema,
    headers: syncHeadersSchema,
    success: { description: 'the signed envelope', mediaType: SYNC_MEDIA_TYPE, part: syncManifestSchema },
    errors: ['device-key-invalid', 'nonce-invalid', 'device-key-mismatch', 'device-unsuited'],
  },
  getPayload: {
    summary: 'Fetch the payload of a sync by link',
    description:
      'Returns the payload that a manifest links to: a whole pack or a delta, the same for every device of the list. A face record in it can only be decrypted with the list’s key and the person’s ID. The link is signed, works for one to two hours, and needs no credential; caches can keep the response as long. The response is `not-found` if the link is forged or has expired, if the list no longer has this version, or if its devices have to wipe their data. The device then syncs again.',
    query: payloadQuerySchema,
    success: {
      description: 'the payload',
      mediaType: 'application/octet-stream',
      headers: { ETag: 'SHA-256 of the payload', 'Content-Length': 'same as `payloadBytes` in the manifest' },
    },
    errors: ['overloaded', 'rate-limited'],
  },
  exchangeAdmissions: {
    summary: 'Share admissions between a list’s devices',
    description:
      'Only for lists with `reEntryScope` `list`; others get 404. The device reports whom it let in (`entries`) and can ask whether it may let someone in (`claim`). The response is a signed envelope like that of a sync, without payload (see AdmissionsAnswer). It has the list’s admissions after `since` or, for a claim, only the decision. If several devices claim the same person at once, the first one may let the person in. A repeated entry changes nothing.',
    headers: z.object({
      [NONCE_HEADER]: nonceHeaderSchema.describe(`${NONCE_BYTES} fresh random bytes in base64url without padding`),
      [SIGNATURE_HEADER]: signatureHeaderSchema.describe(
        'HMAC-SHA-256 of the request with a key of the list and the device, in base64url without padding; a wrong one gets 401 `invalid-credential`',
      ),
    }),
    request: {
      schema: admissionsRequestSchema,
      example: {
        listId: exampleId('lst'),
        since: 41,
        entries: [],
        claim: { tag: 'A'.repeat(22), sequence: 1, at: EXAMPLE_TIME },
      },
    },
    success: { description: 'the signed envelope', mediaType: SYNC_MEDIA_TYPE, part: admissionsAnswerSchema },
    errors: ['nonce-invalid', 'not-found', 'rate-limited'],
  },
} satisfies Descriptions;
