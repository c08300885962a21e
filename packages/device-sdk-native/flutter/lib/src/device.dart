import 'dart:async';
import 'dart:convert';

import 'package:flutter/foundation.dart';
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

/// A check-in device. An app has one at a time; a second [create] before [dispose] throws `device-in-use`.
///
/// No rule of the check is here: the shell's page decides, and an answer that cannot be read is an exception, never a
/// result.
final class SvcDevice {
  SvcDevice._(this._channel) {
    _channel.setMethodCallHandler(_onEvent);
  }

  static const channelName = 'svc_device';

  /// Opens the device: overdue data is deleted before anything else, then the list is synced, and again about every five
  /// minutes while the app is in the foreground.
  ///
  /// Throws a [SvcDeviceException], such as `configuration-invalid`, `passive-liveness-missing`, `webview-too-old` or
  /// `too-slow`.
  static Future<SvcDevice> create(
    SvcConfiguration configuration, {
    @visibleForTesting MethodChannel channel = const MethodChannel(channelName),
  }) async {
    final device = SvcDevice._(channel);
    final answer = await device._call('configure', configuration.toJson());
    device._onStatus(answer['status']);
    return device;
  }

  final MethodChannel _channel;
  final _statuses = StreamController<DeviceStatus>.broadcast();
  final _prompts = StreamController<Prompt?>.broadcast();
  DeviceStatus? _last;

  /// The status now, and each time it changes.
  Stream<DeviceStatus> get status => Stream.multi((listener) {
    if (_last case final last?) listener.add(last);
    final subscription = _statuses.stream.listen(listener.add, onError: listener.addError, onDone: listener.close);
    listener.onCancel = subscription.cancel;
  });

  /// What the person is asked to do; null when the attempt has ended. Only with `PromptsBy.host`.
  Stream<Prompt?> get prompts => _prompts.stream;

  /// Syncs now. An unreachable service is a result, not an exception.
  Future<SyncResult> syncAsync() async => _read(SyncResult.fromJson, (await _call('sync'))['result']);

  /// Verifies that the person before the camera is the one who enrolled as [scannedId], which is used exactly as it was
  /// scanned. Show a [SvcCameraView] meanwhile.
  Future<VerificationResult> verifyLive(String scannedId, {HeadTurn headTurn = HeadTurn.asked}) async {
    final answer = await _call('verify', {'scannedId': scannedId, 'headTurn': headTurn.name});
    return _read(VerificationResult.fromJson, answer['result']);
  }

  /// Ends the running attempt, with reason `cancelled`.
  Future<void> cancel() => _call('cancel');

  /// Staff have looked at the person; counts only after the prompt `staff-confirms`.
  Future<void> confirmByStaff() => _call('confirmByStaff');

  /// Takes back that this device let the person in: true, or false if it had not.
  Future<bool> takeBackAdmission(String scannedId) async {
    final answer = await _call('takeBackAdmission', {'scannedId': scannedId});
    return switch (answer['outcome']) {
      'taken-back' => true,
      'not-admitted' => false,
      _ => throw const SvcDeviceException('message-invalid', 'the answer has no known outcome'),
    };
  }

  /// Deletes keys, then the list, from this phone. The device ends.
  Future<void> forget() async {
    await _call('forget');
    await _close();
  }

  /// Ends the device; its data stays until its deadline.
  Future<void> dispose() async {
    await _call('dispose');
    await _close();
  }

  Future<void> _close() async {
    _channel.setMethodCallHandler(null);
    await _statuses.close();
    await _prompts.close();
  }

  Future<Map<String, Object?>> _call(String name, [Map<String, Object?> body = const {}]) async {
    final String? text;
    try {
      text = await _channel.invokeMethod<String>(name, jsonEncode(body));
    } on PlatformException catch (error) {
      throw SvcDeviceException(error.code, error.message ?? '');
    }
    return _object(text);
  }

  Future<void> _onEvent(MethodCall call) async {
    final body = _object(call.arguments);
    switch (call.method) {
      case 'status':
        _onStatus(body['status']);
      case 'prompt':
        final prompt = body['prompt'];
        _prompts.add(prompt == null ? null : _read(Prompt.fromJson, prompt));
      case 'fault':
        final error = SvcDeviceException('${body['code']}', '${body['message']}');
        _statuses.addError(error);
    }
  }

  void _onStatus(Object? json) => _statuses.add(_last = _read(DeviceStatus.fromJson, json));

  static Map<String, dynamic> _object(Object? text) => _readable(() => jsonDecode(text! as String));

  static T _read<T>(T Function(Map<String, dynamic> json) read, Object? json) =>
      _readable(() => read(json! as Map<String, dynamic>));

  /// Generated readers throw whatever comes first, so all of it is caught.
  static T _readable<T>(Object? Function() read) {
    try {
      return read() as T;
    } on Object catch (_) {
      throw const SvcDeviceException('message-invalid', 'an answer of the shell cannot be read');
    }
  }
}
