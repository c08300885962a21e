// Written by scripts/generate.ts from contract/v1.schema.json.

/// The check after the first match.
enum ActiveCheck {
  headTurn('head-turn'),
  light('light'),
  staff('staff');

  const ActiveCheck(this.value);

  factory ActiveCheck.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// A check that follows if the face matches.
///
/// The colours of the light challenge follow if the face matches: announce them.
enum AnnouncedCheck {
  light('light');

  const AnnouncedCheck(this.value);

  factory AnnouncedCheck.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Body of `cancel` and `confirmByStaff`.
final class AttemptRequest {
  const AttemptRequest({
    required this.attempt,
  });

  factory AttemptRequest.fromJson(Map<String, dynamic> json) => AttemptRequest(
    attempt: json['attempt'] as String,
  );

  final String attempt;

  Map<String, dynamic> toJson() => {
    'attempt': attempt,
  };
}

/// Which camera.
enum CameraFacing {
  environment('environment'),
  user('user');

  const CameraFacing(this.value);

  factory CameraFacing.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Check-ins to the organiser’s server.
final class CheckInQueue {
  const CheckInQueue({
    required this.configured,
    required this.queued,
    required this.lastDeliveredAtMs,
  });

  factory CheckInQueue.fromJson(Map<String, dynamic> json) => CheckInQueue(
    configured: json['configured'] as bool,
    queued: json['queued'] as int,
    lastDeliveredAtMs: json['lastDeliveredAtMs'] == null ? null : json['lastDeliveredAtMs'] as int,
  );

  /// The list has an address that check-ins are sent to.
  final bool configured;
  /// Check-ins that the organiser’s server has not accepted yet.
  final int queued;
  /// Null before the first delivery since the start.
  final int? lastDeliveredAtMs;

  Map<String, dynamic> toJson() => {
    'configured': configured,
    'queued': queued,
    'lastDeliveredAtMs': lastDeliveredAtMs,
  };
}

/// The first request of a session.
final class ConfigureRequest {
  const ConfigureRequest({
    required this.minor,
    required this.deviceToken,
    required this.region,
    required this.passiveLiveness,
    required this.lightChallenge,
    this.maxSyncBytes,
    this.syncTimeoutMs,
    this.language,
    required this.prompts,
    required this.camera,
    required this.shell,
  });

  factory ConfigureRequest.fromJson(Map<String, dynamic> json) => ConfigureRequest(
    minor: json['minor'] as int,
    deviceToken: json['deviceToken'] as String,
    region: Region.fromJson(json['region'] as Map<String, dynamic>),
    passiveLiveness: PassiveLiveness.of(json['passiveLiveness']),
    lightChallenge: LightChallenge.of(json['lightChallenge']),
    maxSyncBytes: json['maxSyncBytes'] == null ? null : json['maxSyncBytes'] as int,
    syncTimeoutMs: json['syncTimeoutMs'] == null ? null : json['syncTimeoutMs'] as int,
    language: json['language'] == null ? null : json['language'] as String,
    prompts: PromptsBy.of(json['prompts']),
    camera: CameraFacing.of(json['camera']),
    shell: ShellInfo.fromJson(json['shell'] as Map<String, dynamic>),
  );

  final int minor;
  /// `svcd_…`, shown once when the device was added.
  final String deviceToken;
  final Region region;
  final PassiveLiveness passiveLiveness;
  final LightChallenge lightChallenge;
  /// Maximum size of a sync answer; 256 MiB if absent.
  final int? maxSyncBytes;
  /// Of each sync request with its answer; two minutes if absent.
  final int? syncTimeoutMs;
  /// Of the page’s prompts, BCP 47; the system’s if absent.
  final String? language;
  final PromptsBy prompts;
  final CameraFacing camera;
  final ShellInfo shell;

  Map<String, dynamic> toJson() => {
    'minor': minor,
    'deviceToken': deviceToken,
    'region': region.toJson(),
    'passiveLiveness': passiveLiveness.value,
    'lightChallenge': lightChallenge.value,
    if (maxSyncBytes != null) 'maxSyncBytes': maxSyncBytes,
    if (syncTimeoutMs != null) 'syncTimeoutMs': syncTimeoutMs,
    if (language != null) 'language': language,
    'prompts': prompts.value,
    'camera': camera.value,
    'shell': shell.toJson(),
  };
}

/// Whether the light challenge runs where the camera has a screen light.
enum LightChallenge {
  off('off'),
  whenPossible('when-possible');

  const LightChallenge(this.value);

  factory LightChallenge.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Whether a passive model has to run, or staff watch every attempt.
enum PassiveLiveness {
  absentStaffInView('absent-staff-in-view'),
  required('required');

  const PassiveLiveness(this.value);

  factory PassiveLiveness.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Who draws the prompts: the page, or the host app.
enum PromptsBy {
  host('host'),
  page('page');

  const PromptsBy(this.value);

  factory PromptsBy.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// A named region, or a deployment’s own address with its signing keys: Ed25519, the current
/// one and the next.
final class Region {
  const Region({
    this.name,
    this.baseUrl,
    this.signingKeys,
  });

  factory Region.fromJson(Map<String, dynamic> json) {
    final value = Region._read(json);
    if (!value.isOneForm) throw StateError('its members do not belong together');
    return value;
  }

  factory Region._read(Map<String, dynamic> json) => Region(
    name: json['name'] == null ? null : RegionName.of(json['name']),
    baseUrl: json['baseUrl'] == null ? null : json['baseUrl'] as String,
    signingKeys: json['signingKeys'] == null ? null : [for (final each in json['signingKeys'] as List<dynamic>) each as String],
  );

  final RegionName? name;
  final String? baseUrl;
  final List<String>? signingKeys;

  /// Whether its members belong together, as in one of the forms that the contract has.
  bool get isOneForm =>
    (name != null) ||
    (baseUrl != null && signingKeys != null);

  Map<String, dynamic> toJson() => {
    if (name != null) 'name': name?.value,
    if (baseUrl != null) 'baseUrl': baseUrl,
    if (signingKeys != null) 'signingKeys': signingKeys?.map((each) => each).toList(),
  };
}

/// A named region, whose address and keys are in the build.
enum RegionName {
  eu('EU'),
  us('US');

  const RegionName(this.value);

  factory RegionName.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// What the shell is.
final class ShellInfo {
  const ShellInfo({
    required this.platform,
    required this.version,
    required this.osVersion,
  });

  factory ShellInfo.fromJson(Map<String, dynamic> json) => ShellInfo(
    platform: Platform.of(json['platform']),
    version: json['version'] as String,
    osVersion: json['osVersion'] as String,
  );

  final Platform platform;
  final String version;
  final String osVersion;

  Map<String, dynamic> toJson() => {
    'platform': platform.value,
    'version': version,
    'osVersion': osVersion,
  };
}

/// The shell’s platform.
enum Platform {
  android('android'),
  flutter('flutter'),
  ios('ios'),
  maui('maui'),
  reactNative('react-native'),
  test('test');

  const Platform(this.value);

  factory Platform.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Whether the last sync reached the service.
enum Connection {
  offline('offline'),
  online('online'),
  unknown('unknown');

  const Connection(this.value);

  factory Connection.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// The build of the core that runs.
///
/// `scalar` where the WebView has no WebAssembly SIMD: slower, with the same results.
enum CoreBuild {
  scalar('scalar'),
  simd('simd');

  const CoreBuild(this.value);

  factory CoreBuild.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Names for the screen; `event` is null for an ongoing list.
final class DeviceNames {
  const DeviceNames({
    required this.event,
    required this.list,
    required this.device,
  });

  factory DeviceNames.fromJson(Map<String, dynamic> json) => DeviceNames(
    event: json['event'] == null ? null : json['event'] as String,
    list: json['list'] as String,
    device: json['device'] as String,
  );

  final String? event;
  final String list;
  final String device;

  Map<String, dynamic> toJson() => {
    'event': event,
    'list': list,
    'device': device,
  };
}

/// Status for a readiness screen.
final class DeviceStatus {
  const DeviceStatus({
    required this.ready,
    required this.notReady,
    required this.listId,
    required this.deviceId,
    required this.listVersion,
    required this.people,
    required this.enrollmentClosed,
    required this.headTurnAlternative,
    required this.names,
    required this.reEntry,
    required this.checkIns,
    required this.leaseExpiresAtMs,
    required this.retentionDeadlineMs,
    required this.lastSyncAtMs,
    required this.lastSync,
    required this.syncing,
    required this.connection,
    required this.nextSyncAtMs,
    required this.erased,
    required this.engineIds,
    required this.engineMismatch,
    required this.protections,
    required this.framesPerSecond,
    required this.core,
  });

  factory DeviceStatus.fromJson(Map<String, dynamic> json) => DeviceStatus(
    ready: json['ready'] as bool,
    notReady: json['notReady'] == null ? null : NotReady.fromJson(json['notReady'] as Map<String, dynamic>),
    listId: json['listId'] == null ? null : json['listId'] as String,
    deviceId: json['deviceId'] == null ? null : json['deviceId'] as String,
    listVersion: json['listVersion'] == null ? null : json['listVersion'] as int,
    people: json['people'] as int,
    enrollmentClosed: json['enrollmentClosed'] == null ? null : json['enrollmentClosed'] as bool,
    headTurnAlternative: HeadTurnAlternative.of(json['headTurnAlternative']),
    names: json['names'] == null ? null : DeviceNames.fromJson(json['names'] as Map<String, dynamic>),
    reEntry: ReEntryPolicy.of(json['reEntry']),
    checkIns: CheckInQueue.fromJson(json['checkIns'] as Map<String, dynamic>),
    leaseExpiresAtMs: json['leaseExpiresAtMs'] == null ? null : json['leaseExpiresAtMs'] as int,
    retentionDeadlineMs: json['retentionDeadlineMs'] == null ? null : json['retentionDeadlineMs'] as int,
    lastSyncAtMs: json['lastSyncAtMs'] == null ? null : json['lastSyncAtMs'] as int,
    lastSync: json['lastSync'] == null ? null : SyncResult.fromJson(json['lastSync'] as Map<String, dynamic>),
    syncing: json['syncing'] as bool,
    connection: Connection.of(json['connection']),
    nextSyncAtMs: json['nextSyncAtMs'] == null ? null : json['nextSyncAtMs'] as int,
    erased: json['erased'] == null ? null : EraseReason.of(json['erased']),
    engineIds: [for (final each in json['engineIds'] as List<dynamic>) each as String],
    engineMismatch: json['engineMismatch'] as bool,
    protections: Protections.fromJson(json['protections'] as Map<String, dynamic>),
    framesPerSecond: json['framesPerSecond'] == null ? null : (json['framesPerSecond'] as num).toDouble(),
    core: CoreBuild.of(json['core']),
  );

  /// True if the next scan leads to an attempt or to NotEnrolled.
  final bool ready;
  /// Null if the device is ready.
  final NotReady? notReady;
  final String? listId;
  final String? deviceId;
  /// Null without a list.
  final int? listVersion;
  /// People on the device’s copy of the list.
  final int people;
  final bool? enrollmentClosed;
  /// `none` before the first sync.
  final HeadTurnAlternative headTurnAlternative;
  /// Null without a list, and from services that send none.
  final DeviceNames? names;
  /// `off` before the first sync.
  final ReEntryPolicy reEntry;
  final CheckInQueue checkIns;
  /// From then on every scan gives LeaseExpired, until a sync.
  final int? leaseExpiresAtMs;
  /// From then on nothing of the list is left on the device.
  final int? retentionDeadlineMs;
  /// The server’s time at the last authentic answer.
  final int? lastSyncAtMs;
  /// Null before the first since the start.
  final SyncResult? lastSync;
  final bool syncing;
  final Connection connection;
  /// Null while a sync runs and when none is planned.
  final int? nextSyncAtMs;
  /// Null while there is data or never was any.
  final EraseReason? erased;
  /// Engines whose records this device can verify, the preferred one first.
  final List<String> engineIds;
  /// True if no part of the list is of these engines: every scan gives NotEnrolled.
  final bool engineMismatch;
  final Protections protections;
  /// Frames that an attempt can look at in a second; null before it was measured.
  final double? framesPerSecond;
  /// `scalar` where the WebView has no WebAssembly SIMD: slower, with the same results.
  final CoreBuild core;

  Map<String, dynamic> toJson() => {
    'ready': ready,
    'notReady': notReady?.toJson(),
    'listId': listId,
    'deviceId': deviceId,
    'listVersion': listVersion,
    'people': people,
    'enrollmentClosed': enrollmentClosed,
    'headTurnAlternative': headTurnAlternative.value,
    'names': names?.toJson(),
    'reEntry': reEntry.value,
    'checkIns': checkIns.toJson(),
    'leaseExpiresAtMs': leaseExpiresAtMs,
    'retentionDeadlineMs': retentionDeadlineMs,
    'lastSyncAtMs': lastSyncAtMs,
    'lastSync': lastSync?.toJson(),
    'syncing': syncing,
    'connection': connection.value,
    'nextSyncAtMs': nextSyncAtMs,
    'erased': erased?.value,
    'engineIds': engineIds.map((each) => each).toList(),
    'engineMismatch': engineMismatch,
    'protections': protections.toJson(),
    'framesPerSecond': framesPerSecond,
    'core': core.value,
  };
}

/// Why the data was deleted.
enum EraseReason {
  accountSuspended('account-suspended'),
  deviceRevoked('device-revoked'),
  listDeleted('list-deleted'),
  noSync30Days('no-sync-30-days'),
  retentionDeadline('retention-deadline');

  const EraseReason(this.value);

  factory EraseReason.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// `none` before the first sync.
///
/// What people who cannot turn their head do instead.
enum HeadTurnAlternative {
  light('light'),
  none('none'),
  staff('staff');

  const HeadTurnAlternative(this.value);

  factory HeadTurnAlternative.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Result of a sync. `outcome` comes with success, `listVersion` and `people` with a list,
/// `reason` with a wipe and with a failure.
final class SyncResult {
  const SyncResult({
    required this.ok,
    this.outcome,
    this.listVersion,
    this.people,
    this.reason,
  });

  factory SyncResult.fromJson(Map<String, dynamic> json) {
    final value = SyncResult._read(json);
    if (!value.isOneForm) throw StateError('its members do not belong together');
    return value;
  }

  factory SyncResult._read(Map<String, dynamic> json) => SyncResult(
    ok: json['ok'] as bool,
    outcome: json['outcome'] == null ? null : SyncOutcome.of(json['outcome']),
    listVersion: json['listVersion'] == null ? null : json['listVersion'] as int,
    people: json['people'] == null ? null : json['people'] as int,
    reason: json['reason'] == null ? null : SyncReason.of(json['reason']),
  );

  final bool ok;
  final SyncOutcome? outcome;
  final int? listVersion;
  final int? people;
  final SyncReason? reason;

  /// Whether its members belong together, as in one of the forms that the contract has.
  bool get isOneForm =>
    (ok && const {SyncOutcome.updated, SyncOutcome.unchanged}.contains(outcome) && listVersion != null && people != null) ||
    (ok && outcome == SyncOutcome.wiped && const {SyncReason.deviceRevoked, SyncReason.listDeleted, SyncReason.accountSuspended, SyncReason.retentionDeadline}.contains(reason)) ||
    (!ok && const {SyncReason.offline, SyncReason.timedOut, SyncReason.unauthorised, SyncReason.deviceKeyMismatch, SyncReason.rateLimited, SyncReason.serverError, SyncReason.unexpectedAnswer, SyncReason.tooLong, SyncReason.envelopeInvalid, SyncReason.unknownSigningKey, SyncReason.signatureInvalid, SyncReason.manifestInvalid, SyncReason.otherDevice, SyncReason.otherList, SyncReason.otherNonce, SyncReason.versionRolledBack, SyncReason.versionConflict, SyncReason.manifestExpired, SyncReason.payloadHashMismatch, SyncReason.baseMismatch, SyncReason.deltaInvalid, SyncReason.packInvalid, SyncReason.stateHashMismatch, SyncReason.listKeyUnopenable, SyncReason.checkRecordUnopenable, SyncReason.checkInSecretUnopenable, SyncReason.erasedForGood, SyncReason.storageFailed, SyncReason.disposed}.contains(reason));

  Map<String, dynamic> toJson() => {
    'ok': ok,
    if (outcome != null) 'outcome': outcome?.value,
    if (listVersion != null) 'listVersion': listVersion,
    if (people != null) 'people': people,
    if (reason != null) 'reason': reason?.value,
  };
}

/// What a sync did.
enum SyncOutcome {
  unchanged('unchanged'),
  updated('updated'),
  wiped('wiped');

  const SyncOutcome(this.value);

  factory SyncOutcome.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Reason of a wipe or of a failure.
enum SyncReason {
  accountSuspended('account-suspended'),
  baseMismatch('base-mismatch'),
  checkInSecretUnopenable('check-in-secret-unopenable'),
  checkRecordUnopenable('check-record-unopenable'),
  deltaInvalid('delta-invalid'),
  deviceKeyMismatch('device-key-mismatch'),
  deviceRevoked('device-revoked'),
  disposed('disposed'),
  envelopeInvalid('envelope-invalid'),
  erasedForGood('erased-for-good'),
  listDeleted('list-deleted'),
  listKeyUnopenable('list-key-unopenable'),
  manifestExpired('manifest-expired'),
  manifestInvalid('manifest-invalid'),
  offline('offline'),
  otherDevice('other-device'),
  otherList('other-list'),
  otherNonce('other-nonce'),
  packInvalid('pack-invalid'),
  payloadHashMismatch('payload-hash-mismatch'),
  rateLimited('rate-limited'),
  retentionDeadline('retention-deadline'),
  serverError('server-error'),
  signatureInvalid('signature-invalid'),
  stateHashMismatch('state-hash-mismatch'),
  storageFailed('storage-failed'),
  timedOut('timed-out'),
  tooLong('too-long'),
  unauthorised('unauthorised'),
  unexpectedAnswer('unexpected-answer'),
  unknownSigningKey('unknown-signing-key'),
  versionConflict('version-conflict'),
  versionRolledBack('version-rolled-back');

  const SyncReason(this.value);

  factory SyncReason.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Why a device cannot verify now.
final class NotReady {
  const NotReady({
    required this.outcome,
    required this.reason,
  });

  factory NotReady.fromJson(Map<String, dynamic> json) {
    final value = NotReady._read(json);
    if (!value.isOneForm) throw StateError('its members do not belong together');
    return value;
  }

  factory NotReady._read(Map<String, dynamic> json) => NotReady(
    outcome: NotReadyOutcome.of(json['outcome']),
    reason: NotReadyReason.of(json['reason']),
  );

  final NotReadyOutcome outcome;
  final NotReadyReason reason;

  /// Whether its members belong together, as in one of the forms that the contract has.
  bool get isOneForm =>
    (outcome == NotReadyOutcome.leaseExpired && const {NotReadyReason.neverSynced, NotReadyReason.leaseExpired, NotReadyReason.clockBehind, NotReadyReason.deviceRevoked, NotReadyReason.listDeleted, NotReadyReason.accountSuspended, NotReadyReason.noSync30Days, NotReadyReason.stateUntrusted, NotReadyReason.storageFailed, NotReadyReason.tooSlow}.contains(reason)) ||
    (outcome == NotReadyOutcome.expired && const {NotReadyReason.listDeadline, NotReadyReason.personDeadline}.contains(reason));

  Map<String, dynamic> toJson() => {
    'outcome': outcome.value,
    'reason': reason.value,
  };
}

/// Outcome of every scan while the device cannot verify.
enum NotReadyOutcome {
  expired('Expired'),
  leaseExpired('LeaseExpired');

  const NotReadyOutcome(this.value);

  factory NotReadyOutcome.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Reason of that outcome.
enum NotReadyReason {
  accountSuspended('account-suspended'),
  clockBehind('clock-behind'),
  deviceRevoked('device-revoked'),
  leaseExpired('lease-expired'),
  listDeadline('list-deadline'),
  listDeleted('list-deleted'),
  neverSynced('never-synced'),
  noSync30Days('no-sync-30-days'),
  personDeadline('person-deadline'),
  stateUntrusted('state-untrusted'),
  storageFailed('storage-failed'),
  tooSlow('too-slow');

  const NotReadyReason(this.value);

  factory NotReadyReason.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Protections that were active for the outcome.
final class Protections {
  const Protections({
    required this.passive,
    required this.passiveCalibration,
    required this.active,
    required this.light,
  });

  factory Protections.fromJson(Map<String, dynamic> json) => Protections(
    passive: PassiveCheck.of(json['passive']),
    passiveCalibration: json['passiveCalibration'] == null ? null : json['passiveCalibration'] as String,
    active: ActiveCheck.of(json['active']),
    light: LightProtection.of(json['light']),
  );

  final PassiveCheck passive;
  /// Version of the passive score’s calibration; null without a passive check.
  final String? passiveCalibration;
  final ActiveCheck active;
  final LightProtection light;

  Map<String, dynamic> toJson() => {
    'passive': passive.value,
    'passiveCalibration': passiveCalibration,
    'active': active.value,
    'light': light.value,
  };
}

/// What became of the light challenge.
enum LightProtection {
  abstained('abstained'),
  answered('answered'),
  notAnswered('not-answered'),
  off('off'),
  whenPossible('when-possible');

  const LightProtection(this.value);

  factory LightProtection.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// The model of the passive check, or the operator’s declaration that staff watch.
enum PassiveCheck {
  absentStaffInView('absent-staff-in-view'),
  minifasnet('minifasnet'),
  presence('presence'),
  presenceMinifasnet('presence-minifasnet');

  const PassiveCheck(this.value);

  factory PassiveCheck.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// `off` before the first sync.
///
/// What happens to people who come again.
enum ReEntryPolicy {
  off('off'),
  refuse('refuse'),
  warn('warn');

  const ReEntryPolicy(this.value);

  factory ReEntryPolicy.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Body of a failure and of the event `fault`. The message is English, for developers; it
/// has no secret, no id of a person, no score and no picture.
final class Failure {
  const Failure({
    required this.code,
    required this.message,
  });

  factory Failure.fromJson(Map<String, dynamic> json) => Failure(
    code: FailureCode.of(json['code']),
    message: json['message'] as String,
  );

  final FailureCode code;
  final String message;

  Map<String, dynamic> toJson() => {
    'code': code.value,
    'message': message,
  };
}

/// Why a request failed.
enum FailureCode {
  busy('busy'),
  cameraDenied('camera-denied'),
  cancelled('cancelled'),
  configurationInvalid('configuration-invalid'),
  deviceInUse('device-in-use'),
  disposed('disposed'),
  goldenMismatch('golden-mismatch'),
  messageInvalid('message-invalid'),
  modelMismatch('model-mismatch'),
  modelMissing('model-missing'),
  notConfigured('not-configured'),
  offline('offline'),
  openFailed('open-failed'),
  passiveLivenessMissing('passive-liveness-missing'),
  rendererGone('renderer-gone'),
  runtimeFailed('runtime-failed'),
  storageFailed('storage-failed'),
  timeout('timeout'),
  tooLarge('too-large'),
  tooSlow('too-slow'),
  unknownName('unknown-name'),
  versionUnsupported('version-unsupported'),
  webassemblyMissing('webassembly-missing'),
  webviewTooOld('webview-too-old');

  const FailureCode(this.value);

  factory FailureCode.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Whether the head turn is asked for, or the list’s alternative.
enum HeadTurn {
  alternative('alternative'),
  asked('asked');

  const HeadTurn(this.value);

  factory HeadTurn.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// The first message of a session; the session is also in its envelope.
final class Hello {
  const Hello({
    required this.minor,
    required this.sdkVersion,
    required this.session,
  });

  factory Hello.fromJson(Map<String, dynamic> json) => Hello(
    minor: json['minor'] as int,
    sdkVersion: json['sdkVersion'] as String,
    session: json['session'] as String,
  );

  final int minor;
  final String sdkVersion;
  final String session;

  Map<String, dynamic> toJson() => {
    'minor': minor,
    'sdkVersion': sdkVersion,
    'session': session,
  };
}

/// Body of `lifecycle`.
final class LifecycleRequest {
  const LifecycleRequest({
    required this.state,
  });

  factory LifecycleRequest.fromJson(Map<String, dynamic> json) => LifecycleRequest(
    state: LifecycleState.of(json['state']),
  );

  final LifecycleState state;

  Map<String, dynamic> toJson() => {
    'state': state.value,
  };
}

/// State of the host app.
enum LifecycleState {
  background('background'),
  foreground('foreground'),
  lowMemory('low-memory');

  const LifecycleState(this.value);

  factory LifecycleState.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// What the device’s log of admissions says of a match.
final class MatchAdmission {
  const MatchAdmission({
    required this.recorded,
    required this.alreadyAdmittedAtMs,
  });

  factory MatchAdmission.fromJson(Map<String, dynamic> json) => MatchAdmission(
    recorded: json['recorded'] as bool,
    alreadyAdmittedAtMs: json['alreadyAdmittedAtMs'] == null ? null : json['alreadyAdmittedAtMs'] as int,
  );

  /// The admission is stored: check-ins tell of it.
  final bool recorded;
  /// When this device last let the person in; null for the first time.
  final int? alreadyAdmittedAtMs;

  Map<String, dynamic> toJson() => {
    'recorded': recorded,
    'alreadyAdmittedAtMs': alreadyAdmittedAtMs,
  };
}

/// The current instruction to the person.
final class Prompt {
  const Prompt({
    required this.key,
    this.direction,
    this.hint,
    this.light,
    this.next,
    required this.progress,
    required this.remainingMs,
  });

  factory Prompt.fromJson(Map<String, dynamic> json) => Prompt(
    key: PromptKey.of(json['key']),
    direction: json['direction'] == null ? null : TurnDirection.of(json['direction']),
    hint: json['hint'] == null ? null : PromptHint.of(json['hint']),
    light: json['light'] == null ? null : json['light'] as bool,
    next: json['next'] == null ? null : AnnouncedCheck.of(json['next']),
    progress: (json['progress'] as num).toDouble(),
    remainingMs: json['remainingMs'] as int,
  );

  final PromptKey key;
  /// Only with `turn-head`.
  final TurnDirection? direction;
  /// Absent if nothing needs to change.
  final PromptHint? hint;
  /// True while the screen shows the colours of the light challenge: the person looks and
  /// holds still.
  final bool? light;
  /// The colours of the light challenge follow if the face matches: announce them.
  final AnnouncedCheck? next;
  /// Of the whole attempt, in steps of a twentieth; never reveals a score.
  final double progress;
  /// Of the ten seconds; the whole window until the first frame.
  final int remainingMs;

  Map<String, dynamic> toJson() => {
    'key': key.value,
    if (direction != null) 'direction': direction?.value,
    if (hint != null) 'hint': hint?.value,
    if (light != null) 'light': light,
    if (next != null) 'next': next?.value,
    'progress': progress,
    'remainingMs': remainingMs,
  };
}

/// Only with `turn-head`.
///
/// Direction from the person’s own point of view.
enum TurnDirection {
  left('left'),
  right('right');

  const TurnDirection(this.value);

  factory TurnDirection.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Absent if nothing needs to change.
///
/// A hint for a better view of the face, shown beside the prompt.
enum PromptHint {
  comeCloser('come-closer'),
  holdStill('hold-still'),
  lessLight('less-light'),
  moreLight('more-light'),
  stepBack('step-back');

  const PromptHint(this.value);

  factory PromptHint.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// What the person is asked to do.
enum PromptKey {
  finished('finished'),
  lookAtCamera('look-at-camera'),
  lookBack('look-back'),
  onePersonOnly('one-person-only'),
  staffConfirms('staff-confirms'),
  stepIntoView('step-into-view'),
  turnHead('turn-head');

  const PromptKey(this.value);

  factory PromptKey.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Body of the event `prompt`. Null: the attempt ended.
final class PromptEvent {
  const PromptEvent({
    required this.attempt,
    required this.prompt,
  });

  factory PromptEvent.fromJson(Map<String, dynamic> json) => PromptEvent(
    attempt: json['attempt'] as String,
    prompt: json['prompt'] == null ? null : Prompt.fromJson(json['prompt'] as Map<String, dynamic>),
  );

  final String attempt;
  final Prompt? prompt;

  Map<String, dynamic> toJson() => {
    'attempt': attempt,
    'prompt': prompt?.toJson(),
  };
}

/// Body of the event `status` and of the answers to `configure` and `status`.
final class StatusBody {
  const StatusBody({
    required this.status,
  });

  factory StatusBody.fromJson(Map<String, dynamic> json) => StatusBody(
    status: DeviceStatus.fromJson(json['status'] as Map<String, dynamic>),
  );

  final DeviceStatus status;

  Map<String, dynamic> toJson() => {
    'status': status.toJson(),
  };
}

/// Answer to `sync`.
final class SyncAnswer {
  const SyncAnswer({
    required this.result,
  });

  factory SyncAnswer.fromJson(Map<String, dynamic> json) => SyncAnswer(
    result: SyncResult.fromJson(json['result'] as Map<String, dynamic>),
  );

  final SyncResult result;

  Map<String, dynamic> toJson() => {
    'result': result.toJson(),
  };
}

/// Answer to `takeBackAdmission`.
final class TakeBackAnswer {
  const TakeBackAnswer({
    required this.outcome,
  });

  factory TakeBackAnswer.fromJson(Map<String, dynamic> json) => TakeBackAnswer(
    outcome: TakeBackOutcome.of(json['outcome']),
  );

  final TakeBackOutcome outcome;

  Map<String, dynamic> toJson() => {
    'outcome': outcome.value,
  };
}

/// Whether there was an admission to take back.
enum TakeBackOutcome {
  notAdmitted('not-admitted'),
  takenBack('taken-back');

  const TakeBackOutcome(this.value);

  factory TakeBackOutcome.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Body of `takeBackAdmission`.
final class TakeBackRequest {
  const TakeBackRequest({
    required this.scannedId,
  });

  factory TakeBackRequest.fromJson(Map<String, dynamic> json) => TakeBackRequest(
    scannedId: json['scannedId'] as String,
  );

  final String scannedId;

  Map<String, dynamic> toJson() => {
    'scannedId': scannedId,
  };
}

/// Counters of the attempt.
final class VerificationCounts {
  const VerificationCounts({
    required this.framesAnalysed,
    required this.framesDropped,
    required this.framesUnscorable,
    required this.embeddings,
    required this.detections,
  });

  factory VerificationCounts.fromJson(Map<String, dynamic> json) => VerificationCounts(
    framesAnalysed: json['framesAnalysed'] as int,
    framesDropped: json['framesDropped'] as int,
    framesUnscorable: json['framesUnscorable'] as int,
    embeddings: json['embeddings'] as int,
    detections: json['detections'] as int,
  );

  final int framesAnalysed;
  /// Frames skipped because a newer one arrived while the device was busy.
  final int framesDropped;
  final int framesUnscorable;
  final int embeddings;
  final int detections;

  Map<String, dynamic> toJson() => {
    'framesAnalysed': framesAnalysed,
    'framesDropped': framesDropped,
    'framesUnscorable': framesUnscorable,
    'embeddings': embeddings,
    'detections': detections,
  };
}

/// Outcome of an attempt.
enum VerificationOutcome {
  challengeFailed('ChallengeFailed'),
  expired('Expired'),
  leaseExpired('LeaseExpired'),
  livenessFailed('LivenessFailed'),
  match('Match'),
  noFace('NoFace'),
  noMatch('NoMatch'),
  notEnrolled('NotEnrolled');

  const VerificationOutcome(this.value);

  factory VerificationOutcome.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// Reason of an outcome.
enum VerificationReason {
  accountSuspended('account-suspended'),
  alreadyLetIn('already-let-in'),
  attackFrame('attack-frame'),
  attemptInProgress('attempt-in-progress'),
  belowThreshold('below-threshold'),
  cameraDenied('camera-denied'),
  cameraFailed('camera-failed'),
  cancelled('cancelled'),
  clockBehind('clock-behind'),
  deviceRevoked('device-revoked'),
  disposed('disposed'),
  engineFailed('engine-failed'),
  engineMismatch('engine-mismatch'),
  faceLost('face-lost'),
  faceSwapped('face-swapped'),
  idInvalid('id-invalid'),
  leaseExpired('lease-expired'),
  lightNotAnswered('light-not-answered'),
  lightNotHeld('light-not-held'),
  listDeadline('list-deadline'),
  listDeleted('list-deleted'),
  narrowed('narrowed'),
  neverScorable('never-scorable'),
  neverSynced('never-synced'),
  noAlternative('no-alternative'),
  noFace('no-face'),
  noFrames('no-frames'),
  noParallax('no-parallax'),
  noSync30Days('no-sync-30-days'),
  notFrontal('not-frontal'),
  notLookedBack('not-looked-back'),
  notOnList('not-on-list'),
  passiveBelowThreshold('passive-below-threshold'),
  personDeadline('person-deadline'),
  recordChanged('record-changed'),
  recordUnopenable('record-unopenable'),
  secondBelowThreshold('second-below-threshold'),
  severalFaces('several-faces'),
  staffConfirmed('staff-confirmed'),
  staffNotConfirmed('staff-not-confirmed'),
  stateUntrusted('state-untrusted'),
  storageFailed('storage-failed'),
  tooFewScoredFrames('too-few-scored-frames'),
  tooSlow('too-slow'),
  turnNotMade('turn-not-made'),
  verified('verified'),
  verifiedByLight('verified-by-light'),
  windowEnded('window-ended'),
  wrongWay('wrong-way');

  const VerificationReason(this.value);

  factory VerificationReason.of(Object? value) => values.firstWhere((each) => each.value == value);

  final String value;
}

/// The result of an attempt. Contains no score, picture or identifier. `admission` comes
/// with `Match`, `alreadyAdmittedAtMs` with `already-let-in`.
final class VerificationResult {
  const VerificationResult({
    required this.outcome,
    required this.reason,
    this.admission,
    this.alreadyAdmittedAtMs,
    required this.protections,
    required this.timings,
    required this.counts,
  });

  factory VerificationResult.fromJson(Map<String, dynamic> json) {
    final value = VerificationResult._read(json);
    if (!value.isOneForm) throw StateError('its members do not belong together');
    return value;
  }

  factory VerificationResult._read(Map<String, dynamic> json) => VerificationResult(
    outcome: VerificationOutcome.of(json['outcome']),
    reason: VerificationReason.of(json['reason']),
    admission: json['admission'] == null ? null : MatchAdmission.fromJson(json['admission'] as Map<String, dynamic>),
    alreadyAdmittedAtMs: json['alreadyAdmittedAtMs'] == null ? null : json['alreadyAdmittedAtMs'] as int,
    protections: Protections.fromJson(json['protections'] as Map<String, dynamic>),
    timings: VerificationTimings.fromJson(json['timings'] as Map<String, dynamic>),
    counts: VerificationCounts.fromJson(json['counts'] as Map<String, dynamic>),
  );

  final VerificationOutcome outcome;
  final VerificationReason reason;
  final MatchAdmission? admission;
  final int? alreadyAdmittedAtMs;
  final Protections protections;
  final VerificationTimings timings;
  final VerificationCounts counts;

  /// Whether its members belong together, as in one of the forms that the contract has.
  bool get isOneForm =>
    (outcome == VerificationOutcome.match && const {VerificationReason.verified, VerificationReason.verifiedByLight, VerificationReason.staffConfirmed}.contains(reason) && admission != null) ||
    (outcome == VerificationOutcome.notEnrolled && const {VerificationReason.notOnList, VerificationReason.idInvalid, VerificationReason.recordUnopenable, VerificationReason.engineMismatch, VerificationReason.recordChanged}.contains(reason)) ||
    (outcome == VerificationOutcome.leaseExpired && const {VerificationReason.neverSynced, VerificationReason.leaseExpired, VerificationReason.clockBehind, VerificationReason.deviceRevoked, VerificationReason.listDeleted, VerificationReason.accountSuspended, VerificationReason.noSync30Days, VerificationReason.stateUntrusted, VerificationReason.storageFailed, VerificationReason.tooSlow}.contains(reason)) ||
    (outcome == VerificationOutcome.expired && const {VerificationReason.listDeadline, VerificationReason.personDeadline}.contains(reason)) ||
    (outcome == VerificationOutcome.livenessFailed && const {VerificationReason.attackFrame, VerificationReason.passiveBelowThreshold, VerificationReason.neverScorable, VerificationReason.tooFewScoredFrames, VerificationReason.lightNotAnswered, VerificationReason.lightNotHeld}.contains(reason)) ||
    (outcome == VerificationOutcome.challengeFailed && const {VerificationReason.wrongWay, VerificationReason.faceLost, VerificationReason.faceSwapped, VerificationReason.turnNotMade, VerificationReason.noParallax, VerificationReason.narrowed, VerificationReason.notLookedBack, VerificationReason.noAlternative, VerificationReason.staffNotConfirmed, VerificationReason.tooFewScoredFrames, VerificationReason.severalFaces, VerificationReason.cameraDenied, VerificationReason.cameraFailed, VerificationReason.engineFailed, VerificationReason.cancelled}.contains(reason)) ||
    (outcome == VerificationOutcome.noMatch && const {VerificationReason.belowThreshold, VerificationReason.secondBelowThreshold, VerificationReason.notFrontal, VerificationReason.severalFaces, VerificationReason.windowEnded, VerificationReason.storageFailed}.contains(reason)) ||
    (outcome == VerificationOutcome.noFace && const {VerificationReason.noFace, VerificationReason.noFrames, VerificationReason.cameraDenied, VerificationReason.cameraFailed, VerificationReason.engineFailed, VerificationReason.cancelled, VerificationReason.attemptInProgress, VerificationReason.disposed}.contains(reason)) ||
    (outcome == VerificationOutcome.noMatch && reason == VerificationReason.alreadyLetIn && alreadyAdmittedAtMs != null);

  Map<String, dynamic> toJson() => {
    'outcome': outcome.value,
    'reason': reason.value,
    if (admission != null) 'admission': admission?.toJson(),
    if (alreadyAdmittedAtMs != null) 'alreadyAdmittedAtMs': alreadyAdmittedAtMs,
    'protections': protections.toJson(),
    'timings': timings.toJson(),
    'counts': counts.toJson(),
  };
}

/// Durations; null for stages that were not reached.
final class VerificationTimings {
  const VerificationTimings({
    required this.totalMs,
    required this.cameraStartMs,
    required this.attemptMs,
    required this.frontalMs,
    required this.lightMs,
    required this.turnMs,
    required this.returnMs,
  });

  factory VerificationTimings.fromJson(Map<String, dynamic> json) => VerificationTimings(
    totalMs: json['totalMs'] as int,
    cameraStartMs: json['cameraStartMs'] == null ? null : json['cameraStartMs'] as int,
    attemptMs: json['attemptMs'] == null ? null : json['attemptMs'] as int,
    frontalMs: json['frontalMs'] == null ? null : json['frontalMs'] as int,
    lightMs: json['lightMs'] == null ? null : json['lightMs'] as int,
    turnMs: json['turnMs'] == null ? null : json['turnMs'] as int,
    returnMs: json['returnMs'] == null ? null : json['returnMs'] as int,
  );

  /// From call to result.
  final int totalMs;
  /// From the camera request to the first frame.
  final int? cameraStartMs;
  /// From first frame to verdict: at most the window of ten seconds.
  final int? attemptMs;
  final int? frontalMs;
  final int? lightMs;
  final int? turnMs;
  final int? returnMs;

  Map<String, dynamic> toJson() => {
    'totalMs': totalMs,
    'cameraStartMs': cameraStartMs,
    'attemptMs': attemptMs,
    'frontalMs': frontalMs,
    'lightMs': lightMs,
    'turnMs': turnMs,
    'returnMs': returnMs,
  };
}

/// Answer to `verify`.
final class VerifyAnswer {
  const VerifyAnswer({
    required this.result,
  });

  factory VerifyAnswer.fromJson(Map<String, dynamic> json) => VerifyAnswer(
    result: VerificationResult.fromJson(json['result'] as Map<String, dynamic>),
  );

  final VerificationResult result;

  Map<String, dynamic> toJson() => {
    'result': result.toJson(),
  };
}

/// Starts an attempt.
final class VerifyRequest {
  const VerifyRequest({
    required this.attempt,
    required this.scannedId,
    required this.headTurn,
  });

  factory VerifyRequest.fromJson(Map<String, dynamic> json) => VerifyRequest(
    attempt: json['attempt'] as String,
    scannedId: json['scannedId'] as String,
    headTurn: HeadTurn.of(json['headTurn']),
  );

  final String attempt;
  final String scannedId;
  final HeadTurn headTurn;

  Map<String, dynamic> toJson() => {
    'attempt': attempt,
    'scannedId': scannedId,
    'headTurn': headTurn.value,
  };
}
