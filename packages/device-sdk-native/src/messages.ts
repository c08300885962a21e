// Written by scripts/generate.ts from contract/v1.schema.json.

/** Sixteen random bytes that the page draws at each load. */
export type Session = string;

/** Sixteen random bytes that the shell draws for each attempt. */
export type AttemptId = string;

/** Kind of a message. */
export type MessageKind = 'request' | 'answer' | 'failure' | 'event';

/** Number of a request of its side in a session, and of the answer or the failure to it. */
export type MessageId = number;

/** Name of a message. */
export type MessageName = string;

/** At most 196,608 bytes, base64url without padding. */
export type Chunk = string;

/** At most 524,288 bytes, base64url without padding. */
export type Content = string;

/** At most 4,096 bytes, base64url without padding. */
export type ShortBytes = string;

/** Thirty-two bytes, base64url without padding. */
export type Bytes32 = string;

/** An uncompressed P-256 point, 65 bytes, base64url without padding. */
export type PublicKey = string;

/** A number of things. */
export type Count = number;

/** Milliseconds since 1970, whole. */
export type TimeMs = number;

/** Milliseconds, whole. */
export type DurationMs = number;

/** A number of the shell for something it holds; valid in one session. */
export type Handle = number;

/** One stored state of the device: a pack and the keys of its epochs. */
export type Generation = number;

/** One key of a list. */
export type Epoch = number;

/** A page of the log of admissions. */
export type LogPage = number;

/** Minor version of the contract. */
export type Minor = number;

/** Frames per second. */
export type FrameRate = number;

/** A body without members. */
export type Empty = Readonly<Record<never, never>>;

/** Why a request failed. */
export type FailureCode =
  | 'configuration-invalid'
  | 'passive-liveness-missing'
  | 'device-in-use'
  | 'storage-failed'
  | 'open-failed'
  | 'model-missing'
  | 'model-mismatch'
  | 'golden-mismatch'
  | 'runtime-failed'
  | 'webassembly-missing'
  | 'webview-too-old'
  | 'too-slow'
  | 'camera-denied'
  | 'offline'
  | 'cancelled'
  | 'not-configured'
  | 'busy'
  | 'disposed'
  | 'message-invalid'
  | 'unknown-name'
  | 'version-unsupported'
  | 'too-large'
  | 'timeout'
  | 'renderer-gone';

/**
 * Body of a failure and of the event `fault`. The message is English, for developers; it has no secret, no id of a
 * person, no score and no picture.
 */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}

/** The shell’s platform. */
export type Platform = 'android' | 'ios' | 'react-native' | 'flutter' | 'maui' | 'test';

/** What the shell is. */
export interface ShellInfo {
  readonly platform: Platform;
  readonly version: string;
  readonly osVersion: string;
}

/** A named region, whose address and keys are in the build. */
export type RegionName = 'EU' | 'US';

/** A named region, or a deployment’s own address with its signing keys: Ed25519, the current one and the next. */
export type Region =
  | {
      readonly name: RegionName;
    }
  | {
      readonly baseUrl: string;
      readonly signingKeys: readonly Bytes32[];
    };

/** Whether a passive model has to run, or staff watch every attempt. */
export type PassiveLiveness = 'required' | 'absent-staff-in-view';

/** Whether the light challenge runs where the camera has a screen light. */
export type LightChallenge = 'off' | 'when-possible';

/** Who draws the prompts: the page, or the host app. */
export type PromptsBy = 'page' | 'host';

/** Which camera. */
export type CameraFacing = 'user' | 'environment';

/** The first request of a session. */
export interface ConfigureRequest {
  readonly minor: Minor;
  /** `svcd_…`, shown once when the device was added. */
  readonly deviceToken: string;
  readonly region: Region;
  readonly passiveLiveness: PassiveLiveness;
  readonly lightChallenge: LightChallenge;
  /** Maximum size of a sync answer; 256 MiB if absent. */
  readonly maxSyncBytes?: number;
  /** Of each sync request with its answer; two minutes if absent. */
  readonly syncTimeoutMs?: number;
  /** Of the page’s prompts, BCP 47; the system’s if absent. */
  readonly language?: string;
  readonly prompts: PromptsBy;
  readonly camera: CameraFacing;
  readonly shell: ShellInfo;
}

/** Body of the event `status` and of the answers to `configure` and `status`. */
export interface StatusBody {
  readonly status: DeviceStatus;
}

/** Answer to `sync`. */
export interface SyncAnswer {
  readonly result: SyncResult;
}

/** Whether the head turn is asked for, or the list’s alternative. */
export type HeadTurn = 'asked' | 'alternative';

/** Starts an attempt. */
export interface VerifyRequest {
  readonly attempt: AttemptId;
  readonly scannedId: string;
  readonly headTurn: HeadTurn;
}

/** Answer to `verify`. */
export interface VerifyAnswer {
  readonly result: VerificationResult;
}

/** Body of `cancel` and `confirmByStaff`. */
export interface AttemptRequest {
  readonly attempt: AttemptId;
}

/** Body of `takeBackAdmission`. */
export interface TakeBackRequest {
  readonly scannedId: string;
}

/** Whether there was an admission to take back. */
export type TakeBackOutcome = 'taken-back' | 'not-admitted';

/** Answer to `takeBackAdmission`. */
export interface TakeBackAnswer {
  readonly outcome: TakeBackOutcome;
}

/** State of the host app. */
export type LifecycleState = 'foreground' | 'background' | 'low-memory';

/** Body of `lifecycle`. */
export interface LifecycleRequest {
  readonly state: LifecycleState;
}

/** The first message of a session; the session is also in its envelope. */
export interface Hello {
  readonly minor: Minor;
  readonly sdkVersion: string;
  readonly session: Session;
}

/** Body of the event `prompt`. Null: the attempt ended. */
export interface PromptEvent {
  readonly attempt: AttemptId;
  readonly prompt: Prompt | null;
}

/** What the person is asked to do. */
export type PromptKey =
  | 'look-at-camera'
  | 'step-into-view'
  | 'turn-head'
  | 'staff-confirms'
  | 'look-back'
  | 'one-person-only'
  | 'finished';

/** A hint for a better view of the face, shown beside the prompt. */
export type PromptHint = 'step-back' | 'come-closer' | 'more-light' | 'less-light' | 'hold-still';

/** Direction from the person’s own point of view. */
export type TurnDirection = 'left' | 'right';

/** A check that follows if the face matches. */
export type AnnouncedCheck = 'light';

/** The current instruction to the person. */
export interface Prompt {
  readonly key: PromptKey;
  /** Only with `turn-head`. */
  readonly direction?: TurnDirection;
  /** Absent if nothing needs to change. */
  readonly hint?: PromptHint;
  /** True while the screen shows the colours of the light challenge: the person looks and holds still. */
  readonly light?: true;
  /** The colours of the light challenge follow if the face matches: announce them. */
  readonly next?: AnnouncedCheck;
  /** Of the whole attempt, in steps of a twentieth; never reveals a score. */
  readonly progress: number;
  /** Of the ten seconds; the whole window until the first frame. */
  readonly remainingMs: DurationMs;
}

/** Outcome of an attempt. */
export type VerificationOutcome =
  | 'Match'
  | 'NotEnrolled'
  | 'LeaseExpired'
  | 'Expired'
  | 'LivenessFailed'
  | 'ChallengeFailed'
  | 'NoMatch'
  | 'NoFace';

/** Reason of an outcome. */
export type VerificationReason =
  | 'verified'
  | 'verified-by-light'
  | 'staff-confirmed'
  | 'not-on-list'
  | 'id-invalid'
  | 'record-unopenable'
  | 'engine-mismatch'
  | 'record-changed'
  | 'never-synced'
  | 'lease-expired'
  | 'clock-behind'
  | 'device-revoked'
  | 'list-deleted'
  | 'account-suspended'
  | 'no-sync-30-days'
  | 'state-untrusted'
  | 'storage-failed'
  | 'too-slow'
  | 'list-deadline'
  | 'person-deadline'
  | 'attack-frame'
  | 'passive-below-threshold'
  | 'never-scorable'
  | 'too-few-scored-frames'
  | 'light-not-answered'
  | 'light-not-held'
  | 'wrong-way'
  | 'face-lost'
  | 'face-swapped'
  | 'turn-not-made'
  | 'no-parallax'
  | 'narrowed'
  | 'not-looked-back'
  | 'no-alternative'
  | 'staff-not-confirmed'
  | 'several-faces'
  | 'camera-denied'
  | 'camera-failed'
  | 'engine-failed'
  | 'cancelled'
  | 'below-threshold'
  | 'second-below-threshold'
  | 'not-frontal'
  | 'window-ended'
  | 'no-face'
  | 'no-frames'
  | 'attempt-in-progress'
  | 'disposed'
  | 'already-let-in';

/** The model of the passive check, or the operator’s declaration that staff watch. */
export type PassiveCheck = 'presence' | 'minifasnet' | 'presence-minifasnet' | 'absent-staff-in-view';

/** The check after the first match. */
export type ActiveCheck = 'head-turn' | 'light' | 'staff';

/** What became of the light challenge. */
export type LightProtection = 'off' | 'when-possible' | 'answered' | 'not-answered' | 'abstained';

/** Protections that were active for the outcome. */
export interface Protections {
  readonly passive: PassiveCheck;
  /** Version of the passive score’s calibration; null without a passive check. */
  readonly passiveCalibration: string | null;
  readonly active: ActiveCheck;
  readonly light: LightProtection;
}

/** Durations; null for stages that were not reached. */
export interface VerificationTimings {
  /** From call to result. */
  readonly totalMs: DurationMs;
  /** From the camera request to the first frame. */
  readonly cameraStartMs: DurationMs | null;
  /** From first frame to verdict: at most the window of ten seconds. */
  readonly attemptMs: DurationMs | null;
  readonly frontalMs: DurationMs | null;
  readonly lightMs: DurationMs | null;
  readonly turnMs: DurationMs | null;
  readonly returnMs: DurationMs | null;
}

/** Counters of the attempt. */
export interface VerificationCounts {
  readonly framesAnalysed: Count;
  /** Frames skipped because a newer one arrived while the device was busy. */
  readonly framesDropped: Count;
  readonly framesUnscorable: Count;
  readonly embeddings: Count;
  readonly detections: Count;
}

/** What the device’s log of admissions says of a match. */
export interface MatchAdmission {
  /** The admission is stored: check-ins tell of it. */
  readonly recorded: boolean;
  /** When this device last let the person in; null for the first time. */
  readonly alreadyAdmittedAtMs: TimeMs | null;
}

/**
 * The result of an attempt. Contains no score, picture or identifier. `admission` comes with `Match`,
 * `alreadyAdmittedAtMs` with `already-let-in`.
 */
export type VerificationResult =
  | {
      readonly outcome: 'Match';
      readonly reason: 'verified' | 'verified-by-light' | 'staff-confirmed';
      readonly admission: MatchAdmission;
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'NotEnrolled';
      readonly reason: 'not-on-list' | 'id-invalid' | 'record-unopenable' | 'engine-mismatch' | 'record-changed';
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'LeaseExpired';
      readonly reason:
        | 'never-synced'
        | 'lease-expired'
        | 'clock-behind'
        | 'device-revoked'
        | 'list-deleted'
        | 'account-suspended'
        | 'no-sync-30-days'
        | 'state-untrusted'
        | 'storage-failed'
        | 'too-slow';
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'Expired';
      readonly reason: 'list-deadline' | 'person-deadline';
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'LivenessFailed';
      readonly reason:
        | 'attack-frame'
        | 'passive-below-threshold'
        | 'never-scorable'
        | 'too-few-scored-frames'
        | 'light-not-answered'
        | 'light-not-held';
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'ChallengeFailed';
      readonly reason:
        | 'wrong-way'
        | 'face-lost'
        | 'face-swapped'
        | 'turn-not-made'
        | 'no-parallax'
        | 'narrowed'
        | 'not-looked-back'
        | 'no-alternative'
        | 'staff-not-confirmed'
        | 'too-few-scored-frames'
        | 'several-faces'
        | 'camera-denied'
        | 'camera-failed'
        | 'engine-failed'
        | 'cancelled';
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'NoMatch';
      readonly reason:
        | 'below-threshold'
        | 'second-below-threshold'
        | 'not-frontal'
        | 'several-faces'
        | 'window-ended'
        | 'storage-failed';
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'NoFace';
      readonly reason:
        | 'no-face'
        | 'no-frames'
        | 'camera-denied'
        | 'camera-failed'
        | 'engine-failed'
        | 'cancelled'
        | 'attempt-in-progress'
        | 'disposed';
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    }
  | {
      readonly outcome: 'NoMatch';
      readonly reason: 'already-let-in';
      readonly alreadyAdmittedAtMs: TimeMs;
      readonly protections: Protections;
      readonly timings: VerificationTimings;
      readonly counts: VerificationCounts;
    };

/** What a sync did. */
export type SyncOutcome = 'updated' | 'unchanged' | 'wiped';

/** Why the service ordered a wipe. */
export type WipeReason = 'device-revoked' | 'list-deleted' | 'account-suspended' | 'retention-deadline';

/** Why a sync changed nothing. */
export type SyncFailure =
  | 'offline'
  | 'timed-out'
  | 'unauthorised'
  | 'device-key-mismatch'
  | 'rate-limited'
  | 'server-error'
  | 'unexpected-answer'
  | 'too-long'
  | 'envelope-invalid'
  | 'unknown-signing-key'
  | 'signature-invalid'
  | 'manifest-invalid'
  | 'other-device'
  | 'other-list'
  | 'other-nonce'
  | 'version-rolled-back'
  | 'version-conflict'
  | 'manifest-expired'
  | 'payload-hash-mismatch'
  | 'base-mismatch'
  | 'delta-invalid'
  | 'pack-invalid'
  | 'state-hash-mismatch'
  | 'list-key-unopenable'
  | 'check-record-unopenable'
  | 'check-in-secret-unopenable'
  | 'erased-for-good'
  | 'storage-failed'
  | 'disposed';

/** Reason of a wipe or of a failure. */
export type SyncReason =
  | 'device-revoked'
  | 'list-deleted'
  | 'account-suspended'
  | 'retention-deadline'
  | 'offline'
  | 'timed-out'
  | 'unauthorised'
  | 'device-key-mismatch'
  | 'rate-limited'
  | 'server-error'
  | 'unexpected-answer'
  | 'too-long'
  | 'envelope-invalid'
  | 'unknown-signing-key'
  | 'signature-invalid'
  | 'manifest-invalid'
  | 'other-device'
  | 'other-list'
  | 'other-nonce'
  | 'version-rolled-back'
  | 'version-conflict'
  | 'manifest-expired'
  | 'payload-hash-mismatch'
  | 'base-mismatch'
  | 'delta-invalid'
  | 'pack-invalid'
  | 'state-hash-mismatch'
  | 'list-key-unopenable'
  | 'check-record-unopenable'
  | 'check-in-secret-unopenable'
  | 'erased-for-good'
  | 'storage-failed'
  | 'disposed';

/**
 * Result of a sync. `outcome` comes with success, `listVersion` and `people` with a list, `reason` with a wipe and
 * with a failure.
 */
export type SyncResult =
  | {
      readonly ok: true;
      readonly outcome: 'updated' | 'unchanged';
      readonly listVersion: Count;
      readonly people: Count;
    }
  | {
      readonly ok: true;
      readonly outcome: 'wiped';
      readonly reason: WipeReason;
    }
  | {
      readonly ok: false;
      readonly reason: SyncFailure;
    };

/** Outcome of every scan while the device cannot verify. */
export type NotReadyOutcome = 'LeaseExpired' | 'Expired';

/** Reason of that outcome. */
export type NotReadyReason =
  | 'never-synced'
  | 'lease-expired'
  | 'clock-behind'
  | 'device-revoked'
  | 'list-deleted'
  | 'account-suspended'
  | 'no-sync-30-days'
  | 'state-untrusted'
  | 'storage-failed'
  | 'too-slow'
  | 'list-deadline'
  | 'person-deadline';

/** Why a device cannot verify now. */
export type NotReady =
  | {
      readonly outcome: 'LeaseExpired';
      readonly reason:
        | 'never-synced'
        | 'lease-expired'
        | 'clock-behind'
        | 'device-revoked'
        | 'list-deleted'
        | 'account-suspended'
        | 'no-sync-30-days'
        | 'state-untrusted'
        | 'storage-failed'
        | 'too-slow';
    }
  | {
      readonly outcome: 'Expired';
      readonly reason: 'list-deadline' | 'person-deadline';
    };

/** What people who cannot turn their head do instead. */
export type HeadTurnAlternative = 'none' | 'staff' | 'light';

/** What happens to people who come again. */
export type ReEntryPolicy = 'off' | 'warn' | 'refuse';

/** Why the data was deleted. */
export type EraseReason =
  | 'device-revoked'
  | 'list-deleted'
  | 'account-suspended'
  | 'retention-deadline'
  | 'no-sync-30-days';

/** Whether the last sync reached the service. */
export type Connection = 'online' | 'offline' | 'unknown';

/** Names for the screen; `event` is null for an ongoing list. */
export interface DeviceNames {
  readonly event: string | null;
  readonly list: string;
  readonly device: string;
}

/** Check-ins to the organiser’s server. */
export interface CheckInQueue {
  /** The list has an address that check-ins are sent to. */
  readonly configured: boolean;
  /** Check-ins that the organiser’s server has not accepted yet. */
  readonly queued: Count;
  /** Null before the first delivery since the start. */
  readonly lastDeliveredAtMs: TimeMs | null;
}

/** The build of the core that runs. */
export type CoreBuild = 'simd' | 'scalar';

/** Status for a readiness screen. */
export interface DeviceStatus {
  /** True if the next scan leads to an attempt or to NotEnrolled. */
  readonly ready: boolean;
  /** Null if the device is ready. */
  readonly notReady: NotReady | null;
  readonly listId: string | null;
  readonly deviceId: string | null;
  /** Null without a list. */
  readonly listVersion: Count | null;
  /** People on the device’s copy of the list. */
  readonly people: Count;
  readonly enrollmentClosed: boolean | null;
  /** `none` before the first sync. */
  readonly headTurnAlternative: HeadTurnAlternative;
  /** Null without a list, and from services that send none. */
  readonly names: DeviceNames | null;
  /** `off` before the first sync. */
  readonly reEntry: ReEntryPolicy;
  readonly checkIns: CheckInQueue;
  /** From then on every scan gives LeaseExpired, until a sync. */
  readonly leaseExpiresAtMs: TimeMs | null;
  /** From then on nothing of the list is left on the device. */
  readonly retentionDeadlineMs: TimeMs | null;
  /** The server’s time at the last authentic answer. */
  readonly lastSyncAtMs: TimeMs | null;
  /** Null before the first since the start. */
  readonly lastSync: SyncResult | null;
  readonly syncing: boolean;
  readonly connection: Connection;
  /** Null while a sync runs and when none is planned. */
  readonly nextSyncAtMs: TimeMs | null;
  /** Null while there is data or never was any. */
  readonly erased: EraseReason | null;
  /** Engines whose records this device can verify, the preferred one first. */
  readonly engineIds: readonly string[];
  /** True if no part of the list is of these engines: every scan gives NotEnrolled. */
  readonly engineMismatch: boolean;
  readonly protections: Protections;
  /** Frames that an attempt can look at in a second; null before it was measured. */
  readonly framesPerSecond: FrameRate | null;
  /** `scalar` where the WebView has no WebAssembly SIMD: slower, with the same results. */
  readonly core: CoreBuild;
}

/** Answer to `keyStore.devicePublicKey`. */
export interface PublicKeyAnswer {
  readonly publicKey: PublicKey;
}

/** Whether there is such a key. */
export interface HasAnswer {
  readonly has: boolean;
}

/** Body of `keyStore.mac`. */
export interface MacRequest {
  readonly message: Content;
}

/** HMAC-SHA-256. */
export interface MacAnswer {
  readonly mac: Bytes32;
}

/** A secret sealed to the device by HPKE. */
export interface SealedSecret {
  readonly enc: ShortBytes;
  readonly ciphertext: ShortBytes;
  readonly info: ShortBytes;
}

/** The sealed key of one epoch. */
export interface SealedEpoch {
  readonly epoch: Epoch;
  readonly sealed: SealedSecret;
}

/** Sealed list keys that the shell opens and holds. */
export interface OpenListKeysRequest {
  readonly epochs: readonly SealedEpoch[];
  readonly checkInSecret: SealedSecret | null;
}

/** List keys that the shell holds. */
export interface OpenedListKeys {
  readonly handle: Handle;
  readonly epochs: readonly Epoch[];
  readonly hasCheckInSecret: boolean;
}

/** Answer to `keyStore.listKeys`. */
export interface ListKeysAnswer {
  readonly keys: OpenedListKeys | null;
}

/** Body of `keyStore.derive`: HKDF-SHA-256 of an epoch’s key. */
export interface DeriveRequest {
  readonly handle: Handle;
  readonly epoch: Epoch;
  readonly salt: ShortBytes;
  readonly info: ShortBytes;
  readonly length: number;
}

/** Body of `keyStore.deriveFromAdmissionKey`. */
export interface DeriveFromAdmissionKeyRequest {
  readonly salt: ShortBytes;
  readonly info: ShortBytes;
  readonly length: number;
}

/** Bytes that were derived or read. */
export interface BytesAnswer {
  readonly bytes: Chunk;
}

/** Body of `keyStore.signCheckIn`. */
export interface SignCheckInRequest {
  readonly handle: Handle;
  readonly message: Chunk;
}

/** HMAC-SHA-256 under the check-in secret; null without one. */
export interface SignCheckInAnswer {
  readonly signature: Bytes32 | null;
}

/** Stores opened list keys under a generation. */
export interface KeepAsRequest {
  readonly handle: Handle;
  readonly generation: Generation;
}

/** Body of requests about something that the shell holds. */
export interface HandleRequest {
  readonly handle: Handle;
}

/** Body of requests about a generation. */
export interface GenerationRequest {
  readonly generation: Generation;
}

/** Stored generations, in any order. */
export interface GenerationsAnswer {
  readonly generations: readonly Generation[];
}

/** The state record; null if none was written. */
export interface ReadStateAnswer {
  readonly state: Content | null;
}

/** Replaces the state record. */
export interface WriteStateRequest {
  readonly state: Content;
}

/** A pack that is being written. */
export interface Upload {
  readonly upload: Handle;
}

/** Adds a chunk at the pack’s end. */
export interface AppendPackRequest {
  readonly upload: Handle;
  readonly offset: Count;
  readonly chunk: Chunk;
}

/** A pack that is read in ranges. */
export interface OpenedPack {
  readonly handle: Handle;
  readonly byteLength: Count;
}

/** Answer to `packStore.openPack`. */
export interface OpenPackAnswer {
  readonly pack: OpenedPack | null;
}

/** Body of `packStore.readPack`. */
export interface ReadPackRequest {
  readonly handle: Handle;
  readonly offset: Count;
  readonly length: number;
}

/** Body of requests about a page of the log of admissions. */
export interface LogPageRequest {
  readonly page: LogPage;
}

/** Content of a page; null if there is none. */
export interface ReadLogPageAnswer {
  readonly content: Content | null;
}

/** Replaces a page. */
export interface WriteLogPageRequest {
  readonly page: LogPage;
  readonly content: Content;
}

/** Stored pages, in any order. */
export interface LogPagesAnswer {
  readonly pages: readonly LogPage[];
}

/** A number of the page for one HTTP request, never used twice in a session. */
export type Transfer = number;

/** HTTP method. */
export type HttpMethod = 'GET' | 'POST';

/** One HTTP request. The body comes with POST alone. */
export interface TransportBeginRequest {
  readonly transfer: Transfer;
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Chunk;
}

/** Status and headers of the answer; the body is pulled by `transport.read`. */
export interface TransportBeginAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly contentLength: Count | null;
}

/** Body of requests about a transfer. */
export interface TransferRequest {
  readonly transfer: Transfer;
}

/** The next bytes of the body; `done` with the last ones. */
export interface TransportReadAnswer {
  readonly chunk: Chunk;
  readonly done: boolean;
}

/** The permission of the app for the camera. */
export type CameraPermission = 'granted' | 'denied' | 'restricted';

/** Answer to `camera.requestPermission`. */
export interface CameraPermissionAnswer {
  readonly permission: CameraPermission;
}

/** The time at which the shell itself erases; null: never. */
export interface GuardRequest {
  readonly eraseAtMs: TimeMs | null;
}

/** Requests of the shell, by name. */
export interface ShellRequests {
  readonly configure: { readonly request: ConfigureRequest; readonly answer: StatusBody };
  readonly start: { readonly request: Empty; readonly answer: Empty };
  readonly stop: { readonly request: Empty; readonly answer: Empty };
  readonly sync: { readonly request: Empty; readonly answer: SyncAnswer };
  readonly verify: { readonly request: VerifyRequest; readonly answer: VerifyAnswer };
  readonly cancel: { readonly request: AttemptRequest; readonly answer: Empty };
  readonly confirmByStaff: { readonly request: AttemptRequest; readonly answer: Empty };
  readonly takeBackAdmission: { readonly request: TakeBackRequest; readonly answer: TakeBackAnswer };
  readonly status: { readonly request: Empty; readonly answer: StatusBody };
  readonly lifecycle: { readonly request: LifecycleRequest; readonly answer: Empty };
  readonly dispose: { readonly request: Empty; readonly answer: Empty };
}

/** Requests of the page, by name. */
export interface PageRequests {
  readonly 'keyStore.devicePublicKey': { readonly request: Empty; readonly answer: PublicKeyAnswer };
  readonly 'keyStore.hasDeviceKey': { readonly request: Empty; readonly answer: HasAnswer };
  readonly 'keyStore.deleteDeviceKey': { readonly request: Empty; readonly answer: Empty };
  readonly 'keyStore.mac': { readonly request: MacRequest; readonly answer: MacAnswer };
  readonly 'keyStore.openListKeys': { readonly request: OpenListKeysRequest; readonly answer: OpenedListKeys };
  readonly 'keyStore.listKeys': { readonly request: GenerationRequest; readonly answer: ListKeysAnswer };
  readonly 'keyStore.derive': { readonly request: DeriveRequest; readonly answer: BytesAnswer };
  readonly 'keyStore.signCheckIn': { readonly request: SignCheckInRequest; readonly answer: SignCheckInAnswer };
  readonly 'keyStore.keepAs': { readonly request: KeepAsRequest; readonly answer: Empty };
  readonly 'keyStore.release': { readonly request: HandleRequest; readonly answer: Empty };
  readonly 'keyStore.deleteListKeys': { readonly request: GenerationRequest; readonly answer: Empty };
  readonly 'keyStore.listKeyGenerations': { readonly request: Empty; readonly answer: GenerationsAnswer };
  readonly 'keyStore.deriveFromAdmissionKey': {
    readonly request: DeriveFromAdmissionKeyRequest;
    readonly answer: BytesAnswer;
  };
  readonly 'keyStore.hasAdmissionKey': { readonly request: Empty; readonly answer: HasAnswer };
  readonly 'keyStore.deleteAdmissionKey': { readonly request: Empty; readonly answer: Empty };
  readonly 'packStore.readState': { readonly request: Empty; readonly answer: ReadStateAnswer };
  readonly 'packStore.writeState': { readonly request: WriteStateRequest; readonly answer: Empty };
  readonly 'packStore.beginPack': { readonly request: GenerationRequest; readonly answer: Upload };
  readonly 'packStore.appendPack': { readonly request: AppendPackRequest; readonly answer: Empty };
  readonly 'packStore.commitPack': { readonly request: Upload; readonly answer: Empty };
  readonly 'packStore.abandonPack': { readonly request: Upload; readonly answer: Empty };
  readonly 'packStore.openPack': { readonly request: GenerationRequest; readonly answer: OpenPackAnswer };
  readonly 'packStore.readPack': { readonly request: ReadPackRequest; readonly answer: BytesAnswer };
  readonly 'packStore.closePack': { readonly request: HandleRequest; readonly answer: Empty };
  readonly 'packStore.deletePack': { readonly request: GenerationRequest; readonly answer: Empty };
  readonly 'packStore.listPacks': { readonly request: Empty; readonly answer: GenerationsAnswer };
  readonly 'packStore.readPage': { readonly request: LogPageRequest; readonly answer: ReadLogPageAnswer };
  readonly 'packStore.writePage': { readonly request: WriteLogPageRequest; readonly answer: Empty };
  readonly 'packStore.deletePage': { readonly request: LogPageRequest; readonly answer: Empty };
  readonly 'packStore.listPages': { readonly request: Empty; readonly answer: LogPagesAnswer };
  readonly 'transport.begin': { readonly request: TransportBeginRequest; readonly answer: TransportBeginAnswer };
  readonly 'transport.read': { readonly request: TransferRequest; readonly answer: TransportReadAnswer };
  readonly 'transport.cancel': { readonly request: TransferRequest; readonly answer: Empty };
  readonly 'camera.requestPermission': { readonly request: Empty; readonly answer: CameraPermissionAnswer };
  readonly 'guard.set': { readonly request: GuardRequest; readonly answer: Empty };
}

/** Events of the page, by name. */
export interface PageEvents {
  readonly hello: Hello;
  readonly status: StatusBody;
  readonly prompt: PromptEvent;
  readonly fault: Failure;
}
