import 'contract.g.dart';

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

  /// A region of this build by its name, or an address with the keys that `svc region show` prints.
  final Region region;

  /// Whether a model checks against photos and screens, or staff watch every attempt instead.
  final PassiveLiveness passiveLiveness;

  /// Whether the screen's colours are checked on the face after the first match.
  final LightChallenge lightChallenge;

  /// Who draws the prompts: the page in the camera view, or the app by `SvcDevice.prompts`.
  final PromptsBy prompts;
  final CameraFacing camera;

  /// BCP 47; null: the system's.
  final String? language;

  /// Longest answer of a sync; null: 256 MiB.
  final int? maxSyncBytes;

  /// Of each request of a sync with its answer; null: two minutes.
  final Duration? syncTimeout;

  /// The members of the contract's `configure` that an app decides; the shell adds the rest.
  Map<String, Object?> toJson() => {
    'deviceToken': deviceToken,
    'region': region.toJson(),
    'passiveLiveness': passiveLiveness.value,
    'lightChallenge': lightChallenge.value,
    'prompts': prompts.value,
    'camera': camera.value,
    'language': ?language,
    'maxSyncBytes': ?maxSyncBytes,
    'syncTimeoutMs': ?syncTimeout?.inMilliseconds,
  };
}
