import { syncFailures } from '../../device-sdk/src/sync/sync-result.ts';
import { unattendedLacks } from '../../device-sdk/src/trust/admission.ts';
import { wipeReasons } from '../../device-sdk/src/trust/trust-state.ts';
import { verdictReasons, verificationOutcomes } from '../../device-sdk/src/verification/result.ts';
import type { Schema } from '../src/check.ts';

/** A definition by its name, or a schema. */
type Named = string | Schema;

const MAX = Number.MAX_SAFE_INTEGER;
/** Of bytes. */
export const BASE64_URL = '^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$';
const SIXTEEN_BYTES = '^[A-Za-z0-9_-]{21}[AQgw]$';

const schemaOf = (named: Named): Schema => (typeof named === 'string' ? { $ref: `#/$defs/${named}` } : named);
const said = (description: string, named: Named): Schema => ({ description, ...schemaOf(named) });
const orNull = (named: Named): Schema => ({ oneOf: [schemaOf(named), { type: 'null' }] });
const constant = (value: string | number | boolean): Schema => ({ const: value });
const words = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
const integer = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const number = (minimum: number, maximum: number): Schema => ({ type: 'number', minimum, maximum });
const text = (maxLength: number, pattern?: string): Schema =>
  pattern === undefined ? { type: 'string', maxLength } : { type: 'string', maxLength, pattern };
const textOf = (length: number, pattern: string): Schema => ({ ...text(length, pattern), minLength: length });
const base64Url = (maxLength: number): Schema => text(maxLength, BASE64_URL);
const list = (items: Named, maxItems: number, minItems?: number): Schema => ({
  type: 'array',
  items: schemaOf(items),
  maxItems,
  ...(minItems === undefined ? {} : { minItems }),
});
const boolean: Schema = { type: 'boolean' };
/** One of the values that the member's definition has. */
const oneOf = (values: readonly string[]): Schema =>
  values.length === 1 && values[0] !== undefined ? constant(values[0]) : { enum: values };

/** Members of an object; the names of those that may be absent end with a question mark. */
type Members = Readonly<Record<string, Named>>;

function shape(members: Members): Required<Pick<Schema, 'properties' | 'required'>> {
  const entries = Object.entries(members).map(([name, named]) => [name.replace('?', ''), schemaOf(named)] as const);
  return {
    properties: Object.fromEntries(entries),
    required: Object.keys(members).filter((name) => !name.endsWith('?')),
  };
}

/** An object. @param forms where members depend on each other: what each form of it has besides */
function body(description: string, members: Members, forms: readonly Members[] = []): Schema {
  const oneOf = forms
    .map(shape)
    .map(({ properties, required }) => (required.length === 0 ? { properties } : { properties, required }));
  return { description, type: 'object', ...shape(members), ...(forms.length === 0 ? {} : { oneOf }) };
}

/** Requests with the definitions of their body and of the answer's. */
export type Requests = Readonly<Record<string, readonly [request: string, answer: string]>>;

export const shellRequests: Requests = {
  configure: ['ConfigureRequest', 'StatusBody'],
  start: ['Empty', 'Empty'],
  stop: ['Empty', 'Empty'],
  sync: ['Empty', 'SyncAnswer'],
  verify: ['VerifyRequest', 'VerifyAnswer'],
  cancel: ['AttemptRequest', 'Empty'],
  confirmByStaff: ['AttemptRequest', 'Empty'],
  takeBackAdmission: ['TakeBackRequest', 'TakeBackAnswer'],
  status: ['Empty', 'StatusBody'],
  lifecycle: ['LifecycleRequest', 'Empty'],
  dispose: ['Empty', 'Empty'],
};

export const pageRequests: Requests = {
  'keyStore.devicePublicKey': ['Empty', 'PublicKeyAnswer'],
  'keyStore.hasDeviceKey': ['Empty', 'HasAnswer'],
  'keyStore.deleteDeviceKey': ['Empty', 'Empty'],
  'keyStore.mac': ['MacRequest', 'MacAnswer'],
  'keyStore.openListKeys': ['OpenListKeysRequest', 'OpenedListKeys'],
  'keyStore.listKeys': ['GenerationRequest', 'ListKeysAnswer'],
  'keyStore.derive': ['DeriveRequest', 'BytesAnswer'],
  'keyStore.signCheckIn': ['SignCheckInRequest', 'SignCheckInAnswer'],
  'keyStore.keepAs': ['KeepAsRequest', 'Empty'],
  'keyStore.release': ['HandleRequest', 'Empty'],
  'keyStore.deleteListKeys': ['GenerationRequest', 'Empty'],
  'keyStore.listKeyGenerations': ['Empty', 'GenerationsAnswer'],
  'keyStore.deriveFromAdmissionKey': ['DeriveFromAdmissionKeyRequest', 'BytesAnswer'],
  'keyStore.hasAdmissionKey': ['Empty', 'HasAnswer'],
  'keyStore.deleteAdmissionKey': ['Empty', 'Empty'],
  'packStore.readState': ['Empty', 'ReadStateAnswer'],
  'packStore.writeState': ['WriteStateRequest', 'Empty'],
  'packStore.beginPack': ['GenerationRequest', 'Upload'],
  'packStore.appendPack': ['AppendPackRequest', 'Empty'],
  'packStore.commitPack': ['Upload', 'Empty'],
  'packStore.abandonPack': ['Upload', 'Empty'],
  'packStore.openPack': ['GenerationRequest', 'OpenPackAnswer'],
  'packStore.readPack': ['ReadPackRequest', 'BytesAnswer'],
  'packStore.closePack': ['HandleRequest', 'Empty'],
  'packStore.deletePack': ['GenerationRequest', 'Empty'],
  'packStore.listPacks': ['Empty', 'GenerationsAnswer'],
  'packStore.readPage': ['LogPageRequest', 'ReadLogPageAnswer'],
  'packStore.writePage': ['WriteLogPageRequest', 'Empty'],
  'packStore.deletePage': ['LogPageRequest', 'Empty'],
  'packStore.listPages': ['Empty', 'LogPagesAnswer'],
  'transport.begin': ['TransportBeginRequest', 'TransportBeginAnswer'],
  'transport.read': ['TransferRequest', 'TransportReadAnswer'],
  'transport.cancel': ['TransferRequest', 'Empty'],
  'camera.requestPermission': ['Empty', 'CameraPermissionAnswer'],
  'guard.set': ['GuardRequest', 'Empty'],
};

export const pageEvents: Readonly<Record<string, string>> = {
  hello: 'Hello',
  status: 'StatusBody',
  prompt: 'PromptEvent',
  fault: 'Failure',
};

/** Messages of one kind: each name with the definition of its body. */
function messages(
  kind: 'request' | 'answer' | 'event',
  bodies: readonly (readonly [name: string, body: string])[],
): Schema {
  const numbered = { properties: { kind: constant(kind), id: schemaOf('MessageId') }, required: ['id'] };
  return {
    ...(kind === 'event' ? { properties: { kind: constant(kind) } } : numbered),
    oneOf: bodies.map(([name, body]) => ({ properties: { name: constant(name), body: schemaOf(body) } })),
  };
}

const requestsOf = (all: Requests) =>
  messages(
    'request',
    Object.entries(all).map(([name, [request]]) => [name, request]),
  );
const answersOf = (all: Requests) =>
  messages(
    'answer',
    Object.entries(all).map(([name, [, answer]]) => [name, answer]),
  );

const notReadyOutcomes = ['LeaseExpired', 'Expired'] as const;
const alreadyLetIn = 'already-let-in';

/** The forms of a result: which reasons belong to which outcome, and what else comes with them. */
const verdicts: readonly Members[] = [
  ...Object.entries(verdictReasons).map(([outcome, reasons]) => ({
    'outcome?': constant(outcome),
    'reason?': oneOf(reasons.filter((reason) => reason !== alreadyLetIn)),
    ...(outcome === 'Match' ? { admission: 'MatchAdmission' } : {}),
  })),
  {
    'outcome?': constant('NoMatch'),
    'reason?': constant(alreadyLetIn),
    alreadyAdmittedAtMs: 'TimeMs',
    'door?': text(1024),
  },
];

const headers: Schema = {
  type: 'object',
  additionalProperties: text(8192, String.raw`^[\x20-\x7e]*$`),
  propertyNames: { pattern: '^[a-z0-9-]{1,64}$' },
  maxProperties: 32,
};

/** The contract between a native shell and the page: the source of `contract/v1.schema.json`. */
export const contract = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:svc:device-contract:v1',
  title: 'Message',
  description:
    'A message between a native shell and the page of the device SDK: one JSON text of at most 1 MiB of UTF-8. README.md has the rules of a session.',
  type: 'object',
  properties: {
    v: constant(1),
    session: schemaOf('Session'),
    kind: schemaOf('MessageKind'),
    name: schemaOf('MessageName'),
    body: { type: 'object' },
  },
  required: ['v', 'session', 'kind', 'name', 'body'],
  anyOf: [schemaOf('FromShell'), schemaOf('FromPage')],
  $defs: {
    FromShell: {
      description: 'Messages of the shell: its requests, its answers to the page’s, and failures.',
      oneOf: ['ShellRequest', 'ShellAnswer', 'FailureMessage'].map(schemaOf),
    },
    FromPage: {
      description: 'Messages of the page: its requests, its answers to the shell’s, failures and events.',
      oneOf: ['PageRequest', 'PageAnswer', 'FailureMessage', 'PageEvent'].map(schemaOf),
    },
    ShellRequest: requestsOf(shellRequests),
    PageAnswer: answersOf(shellRequests),
    PageRequest: requestsOf(pageRequests),
    ShellAnswer: answersOf(pageRequests),
    PageEvent: messages('event', Object.entries(pageEvents)),
    FailureMessage: {
      properties: { kind: constant('failure'), id: schemaOf('MessageId'), body: schemaOf('Failure') },
      required: ['id'],
    },
    Session: said('Sixteen random bytes that the page draws at each load.', textOf(22, SIXTEEN_BYTES)),
    AttemptId: said('Sixteen random bytes that the shell draws for each attempt.', textOf(22, SIXTEEN_BYTES)),
    MessageKind: said('Kind of a message.', words('request', 'answer', 'failure', 'event')),
    MessageId: said(
      'Number of a request of its side in a session, and of the answer or the failure to it.',
      integer(1, MAX),
    ),
    MessageName: said('Name of a message.', text(64, String.raw`^[a-z][A-Za-z]*(?:\.[a-z][A-Za-z]*)?$`)),
    Chunk: said('At most 196,608 bytes, base64url without padding.', base64Url(262_144)),
    Content: said('At most 524,288 bytes, base64url without padding.', base64Url(699_051)),
    ShortBytes: said('At most 4,096 bytes, base64url without padding.', base64Url(5462)),
    Bytes32: said('Thirty-two bytes, base64url without padding.', textOf(43, '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$')),
    PublicKey: said(
      'An uncompressed P-256 point, 65 bytes, base64url without padding.',
      textOf(87, '^B[A-Za-z0-9_-]{85}[AEIMQUYcgkosw048]$'),
    ),
    Count: said('A number of things.', integer(0, MAX)),
    TimeMs: said('Milliseconds since 1970, whole.', integer(-MAX, MAX)),
    DurationMs: said('Milliseconds, whole.', integer(0, MAX)),
    Handle: said('A number of the shell for something it holds; valid in one session.', integer(1, MAX)),
    Generation: said('One stored state of the device: a pack and the keys of its epochs.', integer(1, MAX)),
    Epoch: said('One key of a list.', integer(0, 4_294_967_295)),
    LogPage: said('A page of the log of admissions.', integer(1, 4_294_967_295)),
    Minor: said('Minor version of the contract.', integer(0, 65_535)),
    FrameRate: said('Frames per second.', number(0, 1000)),
    Empty: body('A body without members.', {}),
    FailureCode: said(
      'Why a request failed.',
      words(
        'configuration-invalid',
        'passive-liveness-missing',
        'device-in-use',
        'storage-failed',
        'open-failed',
        'model-missing',
        'model-mismatch',
        'golden-mismatch',
        'runtime-failed',
        'webassembly-missing',
        'webview-too-old',
        'too-slow',
        'camera-denied',
        'offline',
        'cancelled',
        'not-configured',
        'busy',
        'disposed',
        'message-invalid',
        'unknown-name',
        'version-unsupported',
        'too-large',
        'timeout',
        'renderer-gone',
      ),
    ),
    Failure: body(
      'Body of a failure and of the event `fault`. The message is English, for developers; it has no secret, no id of a person, no score and no picture.',
      { code: 'FailureCode', message: text(1024) },
    ),
    Platform: said('The shell’s platform.', words('android', 'ios', 'react-native', 'flutter', 'maui', 'test')),
    ShellInfo: body('What the shell is.', { platform: 'Platform', version: text(64), osVersion: text(64) }),
    RegionName: said('A named region, whose address and keys are in the build.', words('EU', 'US')),
    Region: body(
      'A named region, or a deployment’s own address with its signing keys: Ed25519, the current one and the next.',
      { 'name?': 'RegionName', 'baseUrl?': text(2048), 'signingKeys?': list('Bytes32', 16, 1) },
      [{ name: 'RegionName' }, { baseUrl: text(2048), signingKeys: list('Bytes32', 16, 1) }],
    ),
    PassiveLiveness: said(
      'Whether a passive model has to run, or staff watch every attempt.',
      words('required', 'absent-staff-in-view'),
    ),
    LightChallenge: said(
      'Whether the light challenge runs where the camera has a screen light.',
      words('off', 'when-possible'),
    ),
    PromptsBy: said('Who draws the prompts: the page, or the host app.', words('page', 'host')),
    CameraFacing: said('Which camera.', words('user', 'environment')),
    ConfigureRequest: body('The first request of a session.', {
      minor: 'Minor',
      deviceToken: said('`svcd_…`, shown once when the device was added.', text(256)),
      region: 'Region',
      passiveLiveness: 'PassiveLiveness',
      lightChallenge: 'LightChallenge',
      'maxSyncBytes?': said('Maximum size of a sync answer; 256 MiB if absent.', integer(1, MAX)),
      'syncTimeoutMs?': said('Of each sync request with its answer; two minutes if absent.', integer(1, 2_147_483_647)),
      'language?': said(
        'Of the page’s prompts, BCP 47; the system’s if absent.',
        text(35, '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$'),
      ),
      prompts: 'PromptsBy',
      camera: 'CameraFacing',
      shell: 'ShellInfo',
    }),
    StatusBody: body('Body of the event `status` and of the answers to `configure` and `status`.', {
      status: 'DeviceStatus',
    }),
    SyncAnswer: body('Answer to `sync`.', { result: 'SyncResult' }),
    HeadTurn: said('Whether the head turn is asked for, or the list’s alternative.', words('asked', 'alternative')),
    VerifyRequest: body('Starts an attempt.', { attempt: 'AttemptId', scannedId: text(65_536), headTurn: 'HeadTurn' }),
    VerifyAnswer: body('Answer to `verify`.', { result: 'VerificationResult' }),
    AttemptRequest: body('Body of `cancel` and `confirmByStaff`.', { attempt: 'AttemptId' }),
    TakeBackRequest: body('Body of `takeBackAdmission`.', { scannedId: text(65_536) }),
    TakeBackOutcome: said('Whether there was an admission to take back.', words('taken-back', 'not-admitted')),
    TakeBackAnswer: body('Answer to `takeBackAdmission`.', { outcome: 'TakeBackOutcome' }),
    LifecycleState: said('State of the host app.', words('foreground', 'background', 'low-memory')),
    LifecycleRequest: body('Body of `lifecycle`.', { state: 'LifecycleState' }),
    Hello: body('The first message of a session; the session is also in its envelope.', {
      minor: 'Minor',
      sdkVersion: text(64),
      session: 'Session',
    }),
    PromptEvent: body('Body of the event `prompt`. Null: the attempt ended.', {
      attempt: 'AttemptId',
      prompt: orNull('Prompt'),
    }),
    PromptKey: said(
      'What the person is asked to do.',
      words(
        'look-at-camera',
        'step-into-view',
        'turn-head',
        'staff-confirms',
        'look-back',
        'one-person-only',
        'finished',
      ),
    ),
    PromptHint: said(
      'A hint for a better view of the face, shown beside the prompt.',
      words('step-back', 'come-closer', 'more-light', 'less-light', 'hold-still'),
    ),
    TurnDirection: said('Direction from the person’s own point of view.', words('left', 'right')),
    AnnouncedCheck: said('A check that follows if the face matches.', words('light')),
    Prompt: body('The current instruction to the person.', {
      key: 'PromptKey',
      'direction?': said('Only with `turn-head`.', 'TurnDirection'),
      'hint?': said('Absent if nothing needs to change.', 'PromptHint'),
      'light?': said(
        'True while the screen shows the colours of the light challenge: the person looks and holds still.',
        { type: 'boolean', const: true },
      ),
      'next?': said('The colours of the light challenge follow if the face matches: announce them.', 'AnnouncedCheck'),
      progress: said('Of the whole attempt, in steps of a twentieth; never reveals a score.', number(0, 1)),
      remainingMs: said('Of the ten seconds; the whole window until the first frame.', 'DurationMs'),
    }),
    VerificationOutcome: said('Outcome of an attempt.', words(...verificationOutcomes)),
    VerificationReason: said('Reason of an outcome.', words(...new Set(Object.values(verdictReasons).flat()))),
    PassiveCheck: said(
      'The model of the passive check, or the operator’s declaration that staff watch.',
      words('minifasnet', 'absent-staff-in-view'),
    ),
    ActiveCheck: said('The check after the first match.', words('head-turn', 'light', 'staff')),
    LightProtection: said(
      'What became of the light challenge.',
      words('off', 'when-possible', 'answered', 'not-answered', 'abstained'),
    ),
    Witness: said(
      'What stands for staff in a match where nobody watches: room around the face, or the answered light.',
      words('room', 'light'),
    ),
    Protections: body('Protections that were active for the outcome.', {
      passive: 'PassiveCheck',
      passiveCalibration: said(
        'Version of the passive score’s calibration; null without a passive check.',
        orNull(text(256)),
      ),
      active: 'ActiveCheck',
      light: 'LightProtection',
      attendance: 'Attendance',
      witness: said('Null where staff watch, and without a match.', orNull('Witness')),
    }),
    VerificationTimings: body('Durations; null for stages that were not reached.', {
      totalMs: said('From call to result.', 'DurationMs'),
      cameraStartMs: said('From the camera request to the first frame.', orNull('DurationMs')),
      attemptMs: said('From first frame to verdict: at most the window of ten seconds.', orNull('DurationMs')),
      frontalMs: orNull('DurationMs'),
      lightMs: orNull('DurationMs'),
      turnMs: orNull('DurationMs'),
      returnMs: orNull('DurationMs'),
    }),
    VerificationCounts: body('Counters of the attempt.', {
      framesAnalysed: 'Count',
      framesDropped: said('Frames skipped because a newer one arrived while the device was busy.', 'Count'),
      framesUnscorable: 'Count',
      embeddings: 'Count',
      detections: 'Count',
    }),
    Sharing: said('Whether a door decided with the list’s others.', words('off', 'together', 'alone')),
    MatchAdmission: body('What the device’s log of admissions says of a match.', {
      recorded: said('The admission is stored: check-ins tell of it.', boolean),
      alreadyAdmittedAtMs: said('When the person was last let in; null for the first time.', orNull('TimeMs')),
      'door?': said('Name of the door that did, if it was another one.', text(1024)),
      sharing: 'Sharing',
    }),
    VerificationResult: body(
      'The result of an attempt. Contains no score, picture or identifier. `admission` comes with `Match`, `alreadyAdmittedAtMs` and `door` with `already-let-in`.',
      {
        outcome: 'VerificationOutcome',
        reason: 'VerificationReason',
        'admission?': 'MatchAdmission',
        'alreadyAdmittedAtMs?': 'TimeMs',
        'door?': text(1024),
        protections: 'Protections',
        timings: 'VerificationTimings',
        counts: 'VerificationCounts',
      },
      verdicts,
    ),
    SyncOutcome: said('What a sync did.', words('updated', 'unchanged', 'wiped')),
    WipeReason: said('Why the service ordered a wipe.', words(...wipeReasons)),
    SyncFailure: said('Why a sync changed nothing.', words(...syncFailures)),
    SyncReason: said('Reason of a wipe or of a failure.', words(...wipeReasons, ...syncFailures)),
    SyncResult: body(
      'Result of a sync. `outcome` comes with success, `listVersion` and `people` with a list, `reason` with a wipe and with a failure.',
      { ok: boolean, 'outcome?': 'SyncOutcome', 'listVersion?': 'Count', 'people?': 'Count', 'reason?': 'SyncReason' },
      [
        { 'ok?': constant(true), outcome: oneOf(['updated', 'unchanged']), listVersion: 'Count', people: 'Count' },
        { 'ok?': constant(true), outcome: constant('wiped'), reason: 'WipeReason' },
        { 'ok?': constant(false), reason: 'SyncFailure' },
      ],
    ),
    NotReadyOutcome: said('Outcome of every scan while the device cannot verify.', words(...notReadyOutcomes)),
    NotReadyReason: said(
      'Reason of that outcome.',
      words(...notReadyOutcomes.flatMap((outcome) => verdictReasons[outcome])),
    ),
    NotReady: body(
      'Why a device cannot verify now.',
      { outcome: 'NotReadyOutcome', reason: 'NotReadyReason' },
      notReadyOutcomes.map((outcome) => ({ 'outcome?': constant(outcome), 'reason?': oneOf(verdictReasons[outcome]) })),
    ),
    HeadTurnAlternative: said('What people who cannot turn their head do instead.', words('none', 'staff', 'light')),
    Attendance: said('Whether staff watch the list’s doors.', words('staffed', 'unattended')),
    UnattendedLack: said('What a device lacks that an unattended list asks for.', words(...unattendedLacks)),
    Suitability: body('Whether a device can serve an unattended list. Nothing is missing if it is able.', {
      able: boolean,
      missing: list('UnattendedLack', unattendedLacks.length),
    }),
    ArrivalsPolicy: said('Whether the device counts who comes.', words('off', 'counts')),
    AccountMode: said('Whether the list is of a test account.', words('live', 'test')),
    ReEntryPolicy: said('What happens to people who come again.', words('off', 'warn', 'refuse')),
    ReEntryScope: said('Whose admissions the device knows: its own, or those of all doors.', words('device', 'list')),
    EraseReason: said('Why the data was deleted.', words(...wipeReasons, 'no-sync-30-days')),
    Connection: said('Whether the last sync reached the service.', words('online', 'offline', 'unknown')),
    DeviceNames: body('Names for the screen; `event` is null for an ongoing list.', {
      'organiser?': text(1024),
      event: orNull(text(1024)),
      list: text(1024),
      device: text(1024),
      'logo?': text(65_536),
    }),
    CheckInQueue: body('Check-ins to the organiser’s server.', {
      configured: said('The list has an address that check-ins are sent to.', boolean),
      queued: said('Check-ins that the organiser’s server has not accepted yet.', 'Count'),
      lastDeliveredAtMs: said('Null before the first delivery since the start.', orNull('TimeMs')),
    }),
    AdmissionConflict: body('That this door and another one let the same person in.', {
      atMs: 'TimeMs',
      otherAtMs: 'TimeMs',
      door: text(1024),
    }),
    SharedAdmissions: body('What the doors of a list tell each other.', {
      scope: 'ReEntryScope',
      sharing: 'Sharing',
      unsent: said('Admissions that the service has not heard of.', 'Count'),
      conflicts: list('AdmissionConflict', 20),
    }),
    CoreBuild: said('The build of the core that runs.', words('simd', 'scalar')),
    DeviceStatus: body('Status for a readiness screen.', {
      ready: said('True if the next scan leads to an attempt or to NotEnrolled.', boolean),
      notReady: said('Null if the device is ready.', orNull('NotReady')),
      listId: orNull(text(256)),
      deviceId: orNull(text(256)),
      listVersion: said('Null without a list.', orNull('Count')),
      people: said('People on the device’s copy of the list.', 'Count'),
      enrollmentClosed: orNull(boolean),
      headTurnAlternative: said('`none` before the first sync.', 'HeadTurnAlternative'),
      attendance: said('Null before the first sync.', orNull('Attendance')),
      mode: said('`test`: of a test account; results follow from IDs.', 'AccountMode'),
      unattended: 'Suitability',
      names: said('Null without a list, and from services that send none.', orNull('DeviceNames')),
      reEntry: said('`off` before the first sync.', 'ReEntryPolicy'),
      arrivals: said('`off` before the first sync.', 'ArrivalsPolicy'),
      sharedAdmissions: 'SharedAdmissions',
      checkIns: 'CheckInQueue',
      leaseExpiresAtMs: said('From then on every scan gives LeaseExpired, until a sync.', orNull('TimeMs')),
      retentionDeadlineMs: said('From then on nothing of the list is left on the device.', orNull('TimeMs')),
      lastSyncAtMs: said('The server’s time at the last authentic answer.', orNull('TimeMs')),
      lastSync: said('Null before the first since the start.', orNull('SyncResult')),
      syncing: boolean,
      connection: 'Connection',
      nextSyncAtMs: said('Null while a sync runs and when none is planned.', orNull('TimeMs')),
      erased: said('Null while there is data or never was any.', orNull('EraseReason')),
      engineIds: said('Engines whose records this device can verify, the preferred one first.', list(text(256), 64)),
      engineMismatch: said('True if no part of the list is of these engines: every scan gives NotEnrolled.', boolean),
      protections: 'Protections',
      framesPerSecond: said(
        'Frames that an attempt can look at in a second; null before it was measured.',
        orNull('FrameRate'),
      ),
      core: said('`scalar` where the WebView has no WebAssembly SIMD: slower, with the same results.', 'CoreBuild'),
    }),
    PublicKeyAnswer: body('Answer to `keyStore.devicePublicKey`.', { publicKey: 'PublicKey' }),
    HasAnswer: body('Whether there is such a key.', { has: boolean }),
    MacRequest: body('Body of `keyStore.mac`.', { message: 'Content' }),
    MacAnswer: body('HMAC-SHA-256.', { mac: 'Bytes32' }),
    SealedSecret: body('A secret sealed to the device by HPKE.', {
      enc: 'ShortBytes',
      ciphertext: 'ShortBytes',
      info: 'ShortBytes',
    }),
    SealedEpoch: body('The sealed key of one epoch.', { epoch: 'Epoch', sealed: 'SealedSecret' }),
    OpenListKeysRequest: body('Sealed list keys that the shell opens and holds.', {
      epochs: list('SealedEpoch', 255),
      checkInSecret: orNull('SealedSecret'),
    }),
    OpenedListKeys: body('List keys that the shell holds.', {
      handle: 'Handle',
      epochs: list('Epoch', 255),
      hasCheckInSecret: boolean,
    }),
    ListKeysAnswer: body('Answer to `keyStore.listKeys`.', { keys: orNull('OpenedListKeys') }),
    DeriveRequest: body('Body of `keyStore.derive`: HKDF-SHA-256 of an epoch’s key.', {
      handle: 'Handle',
      epoch: 'Epoch',
      salt: 'ShortBytes',
      info: 'ShortBytes',
      length: integer(1, 64),
    }),
    DeriveFromAdmissionKeyRequest: body('Body of `keyStore.deriveFromAdmissionKey`.', {
      salt: 'ShortBytes',
      info: 'ShortBytes',
      length: integer(1, 64),
    }),
    BytesAnswer: body('Bytes that were derived or read.', { bytes: 'Chunk' }),
    SignCheckInRequest: body('Body of `keyStore.signCheckIn`.', { handle: 'Handle', message: 'Chunk' }),
    SignCheckInAnswer: body('HMAC-SHA-256 under the check-in secret; null without one.', {
      signature: orNull('Bytes32'),
    }),
    KeepAsRequest: body('Stores opened list keys under a generation.', { handle: 'Handle', generation: 'Generation' }),
    HandleRequest: body('Body of requests about something that the shell holds.', { handle: 'Handle' }),
    GenerationRequest: body('Body of requests about a generation.', { generation: 'Generation' }),
    GenerationsAnswer: body('Stored generations, in any order.', { generations: list('Generation', 65_536) }),
    ReadStateAnswer: body('The state record; null if none was written.', { state: orNull('Content') }),
    WriteStateRequest: body('Replaces the state record.', { state: 'Content' }),
    Upload: body('A pack that is being written.', { upload: 'Handle' }),
    AppendPackRequest: body('Adds a chunk at the pack’s end.', { upload: 'Handle', offset: 'Count', chunk: 'Chunk' }),
    OpenedPack: body('A pack that is read in ranges.', { handle: 'Handle', byteLength: 'Count' }),
    OpenPackAnswer: body('Answer to `packStore.openPack`.', { pack: orNull('OpenedPack') }),
    ReadPackRequest: body('Body of `packStore.readPack`.', {
      handle: 'Handle',
      offset: 'Count',
      length: integer(0, 196_608),
    }),
    LogPageRequest: body('Body of requests about a page of the log of admissions.', { page: 'LogPage' }),
    ReadLogPageAnswer: body('Content of a page; null if there is none.', { content: orNull('Content') }),
    WriteLogPageRequest: body('Replaces a page.', { page: 'LogPage', content: 'Content' }),
    LogPagesAnswer: body('Stored pages, in any order.', { pages: list('LogPage', 65_536) }),
    Transfer: said('A number of the page for one HTTP request, never used twice in a session.', integer(1, MAX)),
    HttpMethod: said('HTTP method.', words('GET', 'POST')),
    TransportBeginRequest: body('One HTTP request. The body comes with POST alone.', {
      transfer: 'Transfer',
      method: 'HttpMethod',
      url: text(
        8192,
        String.raw`^(?:https://[^\s@/?#\\]+|http://(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?)(?:[/?][^\s#]*)?$`,
      ),
      headers: headers,
      'body?': 'Chunk',
    }),
    TransportBeginAnswer: body('Status and headers of the answer; the body is pulled by `transport.read`.', {
      status: integer(100, 599),
      mediaType: text(256),
      contentLength: orNull('Count'),
    }),
    TransferRequest: body('Body of requests about a transfer.', { transfer: 'Transfer' }),
    TransportReadAnswer: body('The next bytes of the body; `done` with the last ones.', {
      chunk: 'Chunk',
      done: boolean,
    }),
    CameraPermission: said('The permission of the app for the camera.', words('granted', 'denied', 'restricted')),
    CameraPermissionAnswer: body('Answer to `camera.requestPermission`.', { permission: 'CameraPermission' }),
    GuardRequest: body('The time at which the shell itself erases; null: never.', { eraseAtMs: orNull('TimeMs') }),
  },
};

/** The definitions that the contract's messages are made of. */
export const definitions: Readonly<Record<string, Schema>> = contract.$defs;

/** Name of the definition that a reference leads to. */
export function referredName(reference: string): string {
  const name = reference.replace('#/$defs/', '');
  if (definitions[name] === undefined) throw new Error(`${reference} leads nowhere`);
  return name;
}
