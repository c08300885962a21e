import * as z from 'zod';
import { bytesSchema, idSchema, nameSchema, responseSchemas, timestampSchema } from './common.ts';
import { MAX_CHECK_IN_URL_CHARS, MAX_LOGO_BYTES } from './limits.ts';
import { type AccountMode, accountModes } from './secrets.ts';

export * from './admissions.ts';
export {
  ARRIVALS_BUCKET_MS,
  ARRIVALS_KEPT_MS,
  FULL_WIPE_MS,
  LEASE_MS,
  MAX_ADMISSIONS_SENT,
  MAX_ARRIVAL_BUCKETS,
  ONGOING_WINDOW_MS,
  SYNC_INTERVAL_MS,
} from './limits.ts';
export { type AccountMode, isSecret } from './secrets.ts';

/** Media type of a sync answer: the signed envelope. */
export const SYNC_MEDIA_TYPE = 'application/vnd.svc.sync';
export const SYNC_PATH = '/v1/device/sync';
export const ARRIVALS_PATH = '/v1/device/arrivals';
/** Header with the device's own P-256 public key: uncompressed point, 65 bytes, base64url. */
export const DEVICE_KEY_HEADER = 'Svc-Device-Key';
/** Header with 16 fresh random bytes, base64url. */
export const NONCE_HEADER = 'Svc-Nonce';
/** Header with the counter of the last answer that the device stored; absent in the first sync. */
export const SYNC_COUNTER_HEADER = 'Svc-Sync-Counter';
/** Optional header with the version of the device's SDK. */
export const SDK_VERSION_HEADER = 'Svc-Sdk-Version';
/** Optional header with the engines that the device has, preferred first, separated by commas. */
export const ENGINES_HEADER = 'Svc-Engines';
/** Header with the attendances that the device can serve, separated by commas; absent from older devices. */
export const ATTENDANCES_HEADER = 'Svc-Attendances';
/**
 * Header that says how a device takes payloads: `by-link`; or why a link has just failed, which is also inline. Absent:
 * inline, from older devices, and for an hour after a link failed.
 */
export const PAYLOADS_HEADER = 'Svc-Payloads';
/** Path of a payload by link, before its hash. */
export const PACKS_PATH = '/v1/packs';
/** Larger payloads are sent by link to a device that takes links. */
export const MAX_INLINE_PAYLOAD_BYTES = 16 * 1024;
/** Most epochs that a list can have at one time. */
export const MAX_EPOCHS = 64;
export const DEVICE_KEY_BYTES = 65;
export const NONCE_BYTES = 16;

export const deviceKeyHeaderSchema = bytesSchema(DEVICE_KEY_BYTES);
export const nonceHeaderSchema = bytesSchema(NONCE_BYTES);

const wholeNumberSchema = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,14})$/, { error: 'must be a whole number from 0' })
  .transform(Number);

export const syncCounterHeaderSchema = wholeNumberSchema;

export const sdkVersionHeaderSchema = z.string().regex(/^[0-9A-Za-z.+-]{1,32}$/, { error: 'must be a version' });
/** One to eight engine ids; read as an array. */
export const enginesHeaderSchema = z
  .string()
  .regex(/^[\w./:+-]{1,64}(, ?[\w./:+-]{1,64}){0,7}$/, { error: 'must be engine ids, separated by commas' })
  .transform((text) => text.split(/, ?/));

/** Attendances, separated by commas; read as an array, without words of newer devices. */
export const attendancesHeaderSchema = z
  .string()
  .regex(/^[a-z]{1,16}(, ?[a-z]{1,16}){0,7}$/, { error: 'must be attendances, separated by commas' })
  .transform((text) => attendances.filter((attendance) => text.split(/, ?/).includes(attendance)));

/**
 * Why a device takes a payload inline. `gone`: the service has no such payload any more; `unavailable`: no answer, or
 * another one; `mismatch`: bytes of another hash.
 */
export const linkFailures = ['gone', 'unavailable', 'mismatch'] as const;
export type LinkFailureReason = (typeof linkFailures)[number];
/** How a device takes payloads. */
const payloadWays = ['by-link', ...linkFailures] as const;
export const payloadsHeaderSchema = z.enum(payloadWays);

/** Query of a link to a payload. `expires` is a UNIX time in seconds. */
export const payloadQuerySchema = z.object({
  account: idSchema('acc'),
  list: idSchema('lst'),
  from: wholeNumberSchema.describe('version that a delta is based on; 0 for a whole pack'),
  to: wholeNumberSchema.describe('version of the list'),
  expires: wholeNumberSchema.describe('when the link stops working, in seconds since 1970'),
  signature: bytesSchema(64).describe('the service’s signature over the other parameters and the hash'),
});

/** As the service reads it. */
export type PayloadQuery = z.output<typeof payloadQuerySchema>;

/** Query of a sync: the list version that the device holds, 0 for none. */
export const syncQuerySchema = z.object({
  since: wholeNumberSchema.default(0).meta({
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'version of the list that the device has; 0 if it has none',
  }),
});

/**
 * What people who cannot turn their head do instead, at a list's devices. `none`: they go to staff, like all others
 * whom a device rejects. `staff`: staff at the device confirm after the face matched. `light`: the face's response to
 * light from the device's screen is checked.
 */
export const headTurnAlternatives = ['none', 'staff', 'light'] as const;
export type HeadTurnAlternative = (typeof headTurnAlternatives)[number];
/**
 * What devices of a list do with a verified person whom they let in before. `off`: they do not remember whom they let
 * in. `warn`: a match that says when. `refuse`: no match; staff decide.
 */
export const reEntryPolicies = ['off', 'warn', 'refuse'] as const;
export type ReEntryPolicy = (typeof reEntryPolicies)[number];
/** Whom a device knows to have been let in: by itself, or by any device of the list. */
export const reEntryScopes = ['device', 'list'] as const;
export type ReEntryScope = (typeof reEntryScopes)[number];

/**
 * Whether somebody watches the doors of a list. `unattended`: a device lets nobody in without a witness of its own
 * beside the head turn: room around the face in every compared frame, or the answered light of its screen.
 */
export const attendances = ['staffed', 'unattended'] as const;
export type Attendance = (typeof attendances)[number];

/** Whether the devices of a list count who comes. `counts`: numbers by five minutes, without anything of a person. */
export const arrivalsPolicies = ['off', 'counts'] as const;
export type ArrivalsPolicy = (typeof arrivalsPolicies)[number];

/** https, or http to the device itself; without user information and fragment. Parsers drop control characters. */
const CHECK_IN_URL =
  /^(https:\/\/[^\s\p{Cc}\p{Cs}@/?#\\]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?)([/?][^\s\p{Cc}\p{Cs}#]*)?$/u;

/** Address that check-ins are sent to. */
export const checkInUrlSchema = z
  .string()
  .refine((text) => text.length <= MAX_CHECK_IN_URL_CHARS && CHECK_IN_URL.test(text), {
    error: `must be an https:// address of at most ${MAX_CHECK_IN_URL_CHARS} characters, without user and fragment`,
  })
  .meta({ format: 'uri', maxLength: MAX_CHECK_IN_URL_CHARS, examples: ['https://example.com/check-ins'] });

/** `unattended-unsupported`: the list's doors are unattended, which the device said that it cannot serve. */
export const wipeReasons = [
  'device-revoked',
  'list-deleted',
  'account-suspended',
  'retention-deadline',
  'unattended-unsupported',
] as const;
export type WipeReason = (typeof wipeReasons)[number];

/** The list key of one epoch, sealed to the device by HPKE. Bytes are base64url without padding. */
export interface SyncEpoch {
  readonly epoch: number;
  readonly engineId: string;
  /** Length of the engine's embeddings. */
  readonly dimension: number;
  /** A cosine at or above this is a match. */
  readonly matchThreshold: number;
  readonly sealedListKey: { readonly enc: string; readonly ciphertext: string };
}

/** Names for the screen of a device. */
export interface DeviceNames {
  /** The account's name; absent from answers of older services. */
  readonly organiser?: string;
  /** Null for an ongoing list. */
  readonly event: string | null;
  readonly list: string;
  readonly device: string;
  /** Of the event’s brand: a PNG in base64. */
  readonly logo?: string;
}

/** Names in an answer: without a `logo` the device keeps what it has, and null removes it. */
export type ToldNames = Omit<DeviceNames, 'logo'> & { readonly logo?: string | null };

/** Where a device sends check-ins, and the secret of 32 bytes that signs them, sealed to the device by HPKE. */
export interface SyncCheckIn {
  readonly url: string;
  readonly sealedSecret: { readonly enc: string; readonly ciphertext: string };
}

/** Whether a device counts arrivals, and the secret of its own that signs its reports, sealed to it by HPKE. */
export type SyncArrivals =
  | { readonly policy: 'off' }
  | { readonly policy: 'counts'; readonly sealedSecret: { readonly enc: string; readonly ciphertext: string } };

/** What a device says of five minutes: how many tickets, each counted once and as the best that became of it. */
export interface ArrivalCounts {
  /** People of the list whom the device let in. */
  readonly admitted: number;
  /** People of the list whom it handed over to staff. */
  readonly toStaff: number;
  /** IDs that it had no face for. */
  readonly notEnrolled: number;
}

/** Some of a device's counts so far. */
export interface ArrivalsReport {
  readonly listId: string;
  /** `syncCounter` of the device's last answer. A bucket is replaced by that of a report with a higher number. */
  readonly sequence: number;
  /** `startsAt`: a multiple of five minutes since 1970. */
  readonly buckets: readonly (ArrivalCounts & { readonly startsAt: string })[];
}

/** What a device signs of a report, by HMAC-SHA-256 under {@link arrivalsKeyInfo}. */
export const arrivalsSigningInput = ({ listId, sequence, buckets }: ArrivalsReport): Uint8Array =>
  new TextEncoder().encode(
    [
      `svc/arrivals/v1 ${listId} ${sequence}`,
      ...buckets.map((of) => [Date.parse(of.startsAt), of.admitted, of.toStaff, of.notEnrolled].join(' ')),
    ].join('\n'),
  );

/** HKDF-SHA-256 `info` of the key that signs reports, from the secret in the manifest, without salt; 32 bytes. */
export const arrivalsKeyInfo = (): Uint8Array => new TextEncoder().encode('svc/arrivals-key/v1');

/** The JSON inside the signed sync envelope. Bytes are base64url without padding. */
export interface SyncManifest {
  readonly format: 1;
  readonly command: 'keep' | 'wipe';
  /** Present with `wipe` only. */
  readonly reason?: WipeReason;
  readonly listId: string;
  readonly deviceId: string;
  /** SHA-256 of the raw 65-byte P-256 public key. */
  readonly deviceKeyThumbprint: string;
  /** The nonce of the request. */
  readonly nonce: string;
  /** List version that the payload applies to: 0 for a snapshot or a wipe, otherwise the device's own version. */
  readonly fromVersion: number;
  /** List version of the device afterwards; 0 for a wipe. */
  readonly toVersion: number;
  readonly recordCount: number;
  /** SHA-256 of the payload, which may be empty. */
  readonly payloadSha256: string;
  /**
   * Where the payload is fetched, if it does not follow: a path of the service, or an absolute URL. Never sent to a
   * device that did not say `by-link`.
   */
  readonly payloadUrl?: string;
  /** Length of the payload at `payloadUrl`. */
  readonly payloadBytes?: number;
  /** Hash over the resulting pack; empty for a wipe. */
  readonly stateHash: string;
  readonly issuedAt: string;
  readonly leaseExpiresAt: string;
  /** Null for an ongoing list. */
  readonly retentionDeadline: string | null;
  readonly enrollmentClosed: boolean;
  /** `none` for a wipe. Devices treat unknown values as `none`. */
  readonly headTurnAlternative: HeadTurnAlternative;
  /** Newest first; empty for a wipe. */
  readonly epochs: readonly SyncEpoch[];
  /**
   * Raw Ed25519 public keys that sign answers: the current one, and during a rotation also the next or the former one.
   */
  readonly signingKeys?: readonly string[];
  /** Sent back at the next sync: if a device was copied, one of the copies sends an outdated number. */
  readonly syncCounter?: number;
  /** With `keep` only, as are the following; absent from answers of older services. */
  readonly names?: ToldNames | undefined;
  /** Absent: `off`. Devices treat unknown values as `refuse`. */
  readonly reEntry?: ReEntryPolicy | undefined;
  /** Absent: `device`. Devices treat unknown values as `list`. */
  readonly reEntryScope?: ReEntryScope | undefined;
  /** The list's admission key, sealed to the device by HPKE; absent if devices share no admissions. */
  readonly sealedAdmissionKey?: { readonly enc: string; readonly ciphertext: string } | undefined;
  /** Absent: `staffed`. Devices treat unknown values as `unattended`. */
  readonly attendance?: Attendance | undefined;
  /** Absent if check-ins are not sent anywhere. */
  readonly checkIn?: SyncCheckIn | undefined;
  /** Absent: `off`. With the secret of 32 bytes from which the device's reports are signed. */
  readonly arrivals?: SyncArrivals | undefined;
  /** `test`: a test account’s list, whose results devices give by the ID alone. Absent: `live`. */
  readonly mode?: AccountMode | undefined;
}

const sealedSecretSchema = z.object({ enc: bytesSchema(65), ciphertext: bytesSchema(48) });

const namesSchema = z.object({
  organiser: nameSchema.exactOptional(),
  ...{ event: nameSchema.nullable(), list: nameSchema, device: nameSchema },
  logo: z
    .string()
    .regex(/^iVBORw0KGgo[A-Za-z0-9+/]+={0,2}$/)
    .max((MAX_LOGO_BYTES / 3) * 4)
    .nullable()
    .exactOptional(),
});

const epochSchema = z.object({
  epoch: z.int().min(1),
  engineId: z.string().min(1).max(255),
  dimension: z.int().min(1).max(4096),
  matchThreshold: z.number().min(-1).max(1),
  sealedListKey: sealedSecretSchema,
});

/** Schema and internal consistency of a manifest; unknown fields are dropped. */
export const syncManifestSchema: z.ZodType<SyncManifest> = z
  .object({
    format: z.literal(1),
    command: z.enum(['keep', 'wipe']),
    reason: z.enum(wipeReasons).exactOptional(),
    listId: idSchema('lst'),
    deviceId: idSchema('dev'),
    deviceKeyThumbprint: bytesSchema(32),
    nonce: bytesSchema(NONCE_BYTES),
    fromVersion: z.int().min(0),
    toVersion: z.int().min(0),
    recordCount: z.int().min(0),
    payloadSha256: bytesSchema(32),
    payloadUrl: z.string().max(2_000).exactOptional(),
    payloadBytes: z.int().min(0).exactOptional(),
    stateHash: z.string().regex(/^([A-Za-z0-9_-]{43})?$/),
    issuedAt: timestampSchema,
    leaseExpiresAt: timestampSchema,
    retentionDeadline: timestampSchema.nullable(),
    enrollmentClosed: z.boolean(),
    headTurnAlternative: z.enum(headTurnAlternatives).catch('none'),
    epochs: z.array(epochSchema).max(MAX_EPOCHS),
    signingKeys: z.array(bytesSchema(32)).min(1).max(4).exactOptional(),
    syncCounter: z.int().min(0).exactOptional(),
    names: namesSchema.optional().catch(undefined),
    // An unknown policy is a newer one: staff decide, rather than that somebody is let in twice unnoticed.
    reEntry: z.enum(reEntryPolicies).optional().catch('refuse'),
    reEntryScope: z.enum(reEntryScopes).optional().catch('list'),
    sealedAdmissionKey: sealedSecretSchema.optional().catch(undefined),
    // As is an unknown attendance: the stricter one.
    attendance: z.enum(attendances).optional().catch('unattended'),
    checkIn: z.object({ url: checkInUrlSchema, sealedSecret: sealedSecretSchema }).optional().catch(undefined),
    // An unknown policy may count more than this device knows to: it counts nothing.
    arrivals: z
      .union([
        z.object({ policy: z.literal('off') }),
        z.object({ policy: z.literal('counts'), sealedSecret: sealedSecretSchema }),
      ])
      .optional()
      .catch({ policy: 'off' }),
    mode: z.enum(accountModes).optional().catch(undefined),
  })
  .superRefine((manifest, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (manifest.command === 'wipe') {
      if (manifest.reason === undefined) wrong('reason', 'a wipe says why');
      if (manifest.epochs.length !== 0) wrong('epochs', 'a wipe carries no keys');
      if (manifest.toVersion !== 0 || manifest.fromVersion !== 0) wrong('toVersion', 'a wipe ends at version 0');
      if (manifest.recordCount !== 0) wrong('recordCount', 'a wipe holds no records');
      if (manifest.stateHash !== '') wrong('stateHash', 'a wipe has no state');
      return;
    }
    if (manifest.reason !== undefined) wrong('reason', 'only a wipe has a reason');
    if (manifest.stateHash === '') wrong('stateHash', 'a list that is kept has a state');
    if (manifest.epochs.length === 0) wrong('epochs', 'a list that is kept has an epoch');
    if (manifest.fromVersion > manifest.toVersion) wrong('fromVersion', 'must not be above toVersion');
    const falling = manifest.epochs.every((epoch, i) => i === 0 || epoch.epoch < (manifest.epochs[i - 1]?.epoch ?? 0));
    if (!falling) wrong('epochs', 'must be newest first');
  })
  .register(responseSchemas, { id: 'SyncManifest' });
