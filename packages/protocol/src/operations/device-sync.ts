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
  [PAYLOADS_HEADER]: payloadsHeaderSchema
    .optional()
    .describe(
      `\`by-link\`: of payloads above ${MAX_INLINE_PAYLOAD_BYTES} bytes the manifest tells the address (\`payloadUrl\`); any other text, or none: they follow inline. The other words say why a link has just failed`,
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
  getPayload: {
    summary: 'Fetch the payload of a sync by its link',
    description:
      'Answers a pack or a delta as it is told in a manifest, which is the same for every device of the list: sealed faces that nobody opens without the list’s key and the person’s ID. The link is signed, works for one to two hours, and needs no credential; a cache may keep the answer for that time. A link that is forged or has expired, a version that the list does not have any more, and a list that devices are told to wipe are all answered by `not-found`: the device syncs again.',
    query: payloadQuerySchema,
    success: {
      description: 'the payload',
      mediaType: 'application/octet-stream',
      headers: { ETag: 'the hash', 'Content-Length': 'as `payloadBytes` of the manifest' },
    },
    errors: ['overloaded', 'rate-limited'],
  },
  exchangeAdmissions: {
    summary: 'Share admissions among a list’s devices',
    description:
      'Tells whom the device let in, asks whether it may let somebody in, and answers what other devices told since `since`, in the signed envelope of a sync without payload (see AdmissionsAnswer). Of devices that ask at once for one person, the first one may. For lists with `reEntryScope` `list`; on others 404. A claim is answered without entries. A repeated entry changes nothing.',
    headers: z.object({
      [NONCE_HEADER]: nonceHeaderSchema.describe(`${NONCE_BYTES} fresh random bytes, base64url without padding`),
      [SIGNATURE_HEADER]: signatureHeaderSchema.describe(
        'HMAC-SHA-256 of the request under a key of list and device, base64url without padding; another one is 401 `invalid-credential`',
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
