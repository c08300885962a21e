import {
  DEVICE_KEY_BYTES,
  DEVICE_KEY_HEADER,
  NONCE_BYTES,
  NONCE_HEADER,
  SYNC_COUNTER_HEADER,
  SYNC_MEDIA_TYPE,
} from '../../sync.ts';
import type { Operation } from '../operation.ts';

export const deviceSyncOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/device/sync',
    operationId: 'syncDevice',
    tag: 'Device sync',
    summary: 'Fetch the device’s copy of its list',
    description:
      'Answers one signed envelope: a manifest (see SyncManifest) and, where the device’s version is not the list’s, the sealed faces. A dead token of a revoked device, a deleted list, a suspended account or a list past its retention deadline still gets 200, with a signed command to wipe.',
    security: 'deviceToken',
    parameters: [
      {
        name: 'since',
        in: 'query',
        required: false,
        description: 'version of the list that the device holds, 0 for none',
        schema: { type: 'integer', minimum: 0, default: 0 },
      },
      {
        name: DEVICE_KEY_HEADER,
        in: 'header',
        required: true,
        description: `the device’s P-256 public key: uncompressed point, ${DEVICE_KEY_BYTES} bytes, base64url without padding; the first one is pinned`,
        schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{87}$' },
      },
      {
        name: NONCE_HEADER,
        in: 'header',
        required: true,
        description: `${NONCE_BYTES} fresh random bytes, base64url without padding`,
        schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' },
      },
      {
        name: SYNC_COUNTER_HEADER,
        in: 'header',
        required: false,
        description: 'syncCounter of the last answer that the device keeps; left out before the first',
        schema: { type: 'integer', minimum: 0 },
      },
    ],
    success: { status: 200, description: 'the signed envelope', mediaType: SYNC_MEDIA_TYPE, part: 'SyncManifest' },
    errors: ['invalid-request', 'device-key-invalid', 'nonce-invalid', 'device-key-mismatch'],
  },
];
