import 'dart:async';
import 'dart:convert';

import 'package:flutter/services.dart';

import 'configuration.dart';
import 'contract.g.dart';

/// A call that gave no answer. [code] is a failure code of the contract; [message] is for developers and names nobody.
final class SvcDeviceException implements Exception {
  const SvcDeviceException(this.code, this.message);

  final String code;
  final String message;

  @override
  String toString() => 'SvcDeviceException($code): $message';
}

/// A check-in device, of which an app has one at a time. No rule of the check is here: the shell's page decides, and an
/// answer that cannot be read is an exception, never a result.
final class SvcDevice {
  SvcDevice._(this._channel);

  static const channelName = 'svc_device';
  static SvcDevice? _current;

  /// Opens the device: overdue data is deleted before anything else, then the list is synced, and again about every five
  /// minutes while the app is in the foreground.
  ///
  /// Throws a [SvcDeviceException]: `device-in-use` until the former one is disposed, `configuration-invalid`,
  /// `passive-liveness-missing`, `storage-failed`, `webview-too-old` and the engine's own codes. [channel] is
  /// for tests.
  static Future<SvcDevice> create(
    SvcConfiguration configuration, {
    MethodChannel channel = const MethodChannel(channelName),
  }) async {
    if (_current != null) throw const SvcDeviceException('device-in-use', 'dispose of the former device first');
    final device = _current = SvcDevice._(channel);
    try {
      channel.setMethodCallHandler(device._onEvent);
      device._onStatus(await device._call('configure', configuration.toJson()));
      return device;
    } on Object {
      await device._close();
      rethrow;
    }
  }

  final MethodChannel _channel;
  final _statuses = StreamController<DeviceStatus>.broadcast();
  final _prompts = StreamController<Prompt?>.broadcast();
  DeviceStatus? _last;

  /// The status now, and each time it changes.
  Stream<DeviceStatus> get status => Stream.multi((listener) {
    if (_last case final last?) listener.add(last);
    final subscription = _statuses.stream.listen(listener.add, onDone: listener.close);
    listener.onCancel = subscription.cancel;
  });

  /// What the person is asked to do; null when the attempt has ended. For apps that draw the prompts themselves.
  Stream<Prompt?> get prompts => _prompts.stream;

  /// Syncs now. An unreachable service is a result, not an exception.
  Future<SyncResult> syncAsync() async => _read(SyncAnswer.fromJson, await _call('sync')).result;

  /// Verifies that the person before the camera is the one who enrolled as [scannedId], which is used exactly as it was
  /// scanned. Problems at the door are results. A `SvcCameraView` has to be on the screen.
  Future<VerificationResult> verifyLive(String scannedId, {HeadTurn headTurn = HeadTurn.asked}) async {
    final answer = await _call('verify', {'scannedId': scannedId, 'headTurn': headTurn.value});
    return _read(VerifyAnswer.fromJson, answer).result;
  }

  /// Ends the running attempt, with reason `cancelled`.
  Future<void> cancel() => _call('cancel');

  /// Staff have looked at the person; counts only after the prompt `staff-confirms`.
  Future<void> confirmByStaff() => _call('confirmByStaff');

  /// Takes back that this device let the person in.
  Future<TakeBackOutcome> takeBackAdmission(String scannedId) async =>
      _read(TakeBackAnswer.fromJson, await _call('takeBackAdmission', {'scannedId': scannedId})).outcome;

  /// Deletes keys, then the list, from this phone. The device ends.
  Future<void> forget() => _call('forget').whenComplete(_close);

  /// Ends the device; its data stays until its deadline.
  Future<void> dispose() => _call('dispose').whenComplete(_close);

  Future<void> _close() async {
    if (!identical(_current, this)) return;
    _current = null;
    _channel.setMethodCallHandler(null);
    await _statuses.close();
    await _prompts.close();
  }

  Future<Map<String, dynamic>> _call(String name, [Map<String, Object?> body = const {}]) async {
    if (!identical(_current, this)) throw const SvcDeviceException('disposed', 'the device was disposed');
    try {
      return _object(await _channel.invokeMethod<String>(name, jsonEncode(body)));
    } on PlatformException catch (error) {
      throw SvcDeviceException(error.code, error.message ?? '');
    }
  }

  Future<void> _onEvent(MethodCall call) async {
    switch (call.method) {
      case 'status':
        _onStatus(_object(call.arguments));
      case 'prompt':
        final prompt = _object(call.arguments)['prompt'];
        _prompts.add(prompt == null ? null : _read(Prompt.fromJson, prompt));
    }
  }

  void _onStatus(Map<String, dynamic> body) => _statuses.add(_last = _read(StatusBody.fromJson, body).status);

  static Map<String, dynamic> _object(Object? text) => _readable(() => jsonDecode(text! as String));

  static T _read<T>(T Function(Map<String, dynamic> json) read, Object? json) =>
      _readable(() => read(json! as Map<String, dynamic>));

  /// Generated readers throw whatever comes first, so all of it is caught.
  static T _readable<T>(Object? Function() read) {
    try {
      return read() as T;
    } on Object {
      throw const SvcDeviceException('message-invalid', 'an answer of the shell cannot be read');
    }
  }
}
