/// A deployment of the service: a name that this build knows, or an address with the keys that sign its answers.
final class SvcRegion {
  /// A region pinned at build time, such as `EU`.
  const SvcRegion.named(String this.name) : baseUrl = null, signingKeys = const [];

  /// [baseUrl] is https, or http to this machine. [signingKeys] are those that `svc region show` prints.
  const SvcRegion({required String this.baseUrl, required this.signingKeys}) : name = null;

  final String? name;
  final String? baseUrl;
  final List<String> signingKeys;

  Object toJson() => name ?? <String, Object?>{'baseUrl': baseUrl, 'signingKeys': signingKeys};
}

/// Whether a model checks against photos and screens, or staff watch every attempt instead.
enum PassiveLiveness {
  required('required'),
  absentStaffInView('absent-staff-in-view');

  const PassiveLiveness(this.wire);
  final String wire;
}

/// Whether the screen's colours are checked on the face after the first match.
enum LightChallenge {
  off('off'),
  whenPossible('when-possible');

  const LightChallenge(this.wire);
  final String wire;
}

/// Who draws the prompts: the page inside the camera view, or the app by `SvcDevice.prompts`.
enum PromptsBy { page, host }

/// The camera that looks at the person.
enum CameraFacing { user, environment }

/// The turn of the head, or what the list has for people who cannot turn it.
enum HeadTurn { asked, alternative }

/// Settings of a device; they hold until it is disposed.
final class SvcConfiguration {
  const SvcConfiguration({
    required this.deviceToken,
    required this.region,
    this.passiveLiveness = PassiveLiveness.required,
    this.lightChallenge = LightChallenge.off,
    this.prompts = PromptsBy.page,
    this.camera = CameraFacing.user,
    this.language,
    this.maxSyncBytes,
    this.syncTimeout,
  });

  /// `svcd_…`, shown once when the device is added to a list. Keep it in the app's secure storage.
  final String deviceToken;
  final SvcRegion region;
  final PassiveLiveness passiveLiveness;
  final LightChallenge lightChallenge;
  final PromptsBy prompts;
  final CameraFacing camera;

  /// BCP 47; null: the system's.
  final String? language;
  final int? maxSyncBytes;
  final Duration? syncTimeout;

  /// The members of the contract's `configure` that an app decides; the shell adds the rest.
  Map<String, Object?> toJson() => {
    'deviceToken': deviceToken,
    'region': region.toJson(),
    'passiveLiveness': passiveLiveness.wire,
    'lightChallenge': lightChallenge.wire,
    'prompts': prompts.name,
    'camera': camera.name,
    if (language != null) 'language': language,
    if (maxSyncBytes != null) 'maxSyncBytes': maxSyncBytes,
    if (syncTimeout != null) 'syncTimeoutMs': syncTimeout!.inMilliseconds,
  };
}
