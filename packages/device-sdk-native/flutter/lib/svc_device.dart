/// A preview, compiled nowhere so far: a channel to the shells of Android and iOS, which carry the calls out.
///
/// Statuses, prompts and results are the contract's JSON objects (`contract/v1.schema.json`), as the shells give them.
library;

import 'dart:async';
import 'dart:convert';

import 'package:flutter/foundation.dart';
import 'package:flutter/services.dart';
import 'package:flutter/widgets.dart';

typedef Json = Map<String, dynamic>;

/// A call that gave no answer. [code] is a failure code of the contract; [message] is for developers and names nobody.
final class SvcDeviceException implements Exception {
  const SvcDeviceException(this.code, this.message);

  final String code;
  final String message;

  @override
  String toString() => 'SvcDeviceException($code): $message';
}

/// Settings of a device; they hold until it is disposed. Names, values and defaults are those of the shells.
extension type SvcConfiguration._(Json json) {
  SvcConfiguration({
    required String deviceToken,
    required Json region,
    String passiveLiveness = 'required',
    String lightChallenge = 'off',
    String prompts = 'page',
    String camera = 'user',
    String? language,
    int? maxSyncBytes,
    Duration? syncTimeout,
  }) : this._({
         'deviceToken': deviceToken,
         'region': region,
         'passiveLiveness': passiveLiveness,
         'lightChallenge': lightChallenge,
         'prompts': prompts,
         'camera': camera,
         'language': ?language,
         'maxSyncBytes': ?maxSyncBytes,
         'syncTimeoutMs': ?syncTimeout?.inMilliseconds,
       });
}

/// A check-in device, of which an app has one at a time.
final class SvcDevice {
  SvcDevice._() {
    _channel.setMethodCallHandler((call) async {
      final body = jsonDecode(call.arguments as String) as Json;
      switch (call.method) {
        case 'status':
          _statuses.add(_last = body['status'] as Json);
        case 'prompt':
          _prompts.add(body['prompt'] as Json?);
      }
    });
  }

  static const _channel = MethodChannel('svc_device');

  final _statuses = StreamController<Json>.broadcast();
  final _prompts = StreamController<Json?>.broadcast();
  late Json _last;

  /// Opens the device in place of a former one: deletes what is due, then syncs, and again about every five minutes while
  /// the app is in the foreground. Throws a [SvcDeviceException].
  static Future<SvcDevice> create(SvcConfiguration configuration) async {
    final device = SvcDevice._();
    device._last = (await _call('configure', configuration.json))['status'] as Json;
    return device;
  }

  /// The status now, and each time it changes.
  Stream<Json> get status async* {
    yield _last;
    yield* _statuses.stream;
  }

  /// What the person is asked to do; null when the attempt has ended. For apps that draw the prompts themselves.
  Stream<Json?> get prompts => _prompts.stream;

  /// Syncs now. An unreachable service is a result, not an exception.
  Future<Json> syncAsync() async => (await _call('sync'))['result'] as Json;

  /// Verifies that the person before the camera is the one who enrolled as [scannedId], which is used exactly as it was
  /// scanned. Problems at the door are results. A [SvcCameraView] has to be on the screen.
  Future<Json> verifyLive(String scannedId, {String headTurn = 'asked'}) async =>
      (await _call('verify', {'scannedId': scannedId, 'headTurn': headTurn}))['result'] as Json;

  /// Ends the running attempt, with reason `cancelled`.
  Future<void> cancel() => _call('cancel');

  /// Staff have looked at the person; counts only after the prompt `staff-confirms`.
  Future<void> confirmByStaff() => _call('confirmByStaff');

  /// Takes back that this device let the person in: `taken-back` or `not-admitted`.
  Future<String> takeBackAdmission(String scannedId) async =>
      (await _call('takeBackAdmission', {'scannedId': scannedId}))['outcome'] as String;

  /// Deletes keys, then the list, from this phone. The device ends.
  Future<void> forget() => _call('forget');

  /// Ends the device; its data stays until its deadline.
  Future<void> dispose() => _call('dispose');

  static Future<Json> _call(String name, [Json body = const {}]) async {
    try {
      return jsonDecode((await _channel.invokeMethod<String>(name, jsonEncode(body)))!) as Json;
    } on PlatformException catch (error) {
      throw SvcDeviceException(error.code, error.message ?? '');
    }
  }
}

/// The camera's picture with the prompts, or without them if the app draws them; it needs bounded constraints. One of them
/// shows the device's page at a time: the one that was built last.
class SvcCameraView extends StatelessWidget {
  const SvcCameraView({super.key});

  @override
  Widget build(BuildContext context) => defaultTargetPlatform == TargetPlatform.iOS
      ? const UiKitView(viewType: 'svc_device/camera')
      : const AndroidView(viewType: 'svc_device/camera');
}
