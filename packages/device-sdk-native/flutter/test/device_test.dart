import 'dart:convert';
import 'dart:io';

import 'package:flutter/services.dart';
import 'package:flutter_test/flutter_test.dart';
import 'package:svc_device/svc_device.dart';

/// The contract's vectors: the file that the page and the shells replay too.
final messages = (jsonDecode(File('../contract/vectors/messages.json').readAsStringSync()) as Map)['vectors'] as List;

/// Vectors of the page's answers to the call [name], by their names: the answer's body, and whether it is valid.
Map<String, ({Object? body, bool valid})> answersTo(String name) => {
  for (final Object? vector in messages)
    if (vector case {
      'name': final String title,
      'from': 'page',
      'reads': final String reads,
      'message': {'kind': 'answer', 'name': final String of, 'body': final Object? body},
    } when of == name)
      title: (body: body, valid: reads == 'answer'),
};

const configuration = SvcConfiguration(
  deviceToken: 'svcd_test',
  region: Region(baseUrl: 'https://faces.example', signingKeys: ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']),
);

void main() {
  final messenger = TestWidgetsFlutterBinding.ensureInitialized().defaultBinaryMessenger;
  const channel = MethodChannel(SvcDevice.channelName);
  final status = answersTo('configure').values.firstWhere((each) => each.valid).body;
  final calls = <MethodCall>[];
  late Map<String, Object?> answers;

  setUp(() {
    calls.clear();
    answers = {'configure': status, 'cancel': <String, Object?>{}, 'dispose': <String, Object?>{}};
    messenger.setMockMethodCallHandler(channel, (call) async {
      calls.add(call);
      if (answers.containsKey(call.method)) return jsonEncode(answers[call.method]);
      throw PlatformException(code: 'busy', message: 'not now');
    });
  });

  Future<void> tell(String name, Object? body) async {
    final event = channel.codec.encodeMethodCall(MethodCall(name, jsonEncode(body)));
    await messenger.handlePlatformMessage(channel.name, event, null);
  }

  Matcher throwsCode(String code) => throwsA(isA<SvcDeviceException>().having((error) => error.code, 'code', code));

  void replay(String name, Future<Object?> Function(SvcDevice device) ask, Object? Function(Object? body) expected) {
    for (final MapEntry(key: vector, value: (:body, :valid)) in answersTo(name).entries) {
      test(vector, () async {
        final device = await SvcDevice.create(configuration);
        addTearDown(device.dispose);
        answers[name] = body;
        if (!valid) return expectLater(ask(device), throwsCode('message-invalid'));
        expect(await ask(device), expected(body));
      });
    }
  }

  Object? resultOf(Object? body) => (body! as Map)['result'];
  replay('sync', (device) async => (await device.syncAsync()).toJson(), resultOf);
  replay('verify', (device) async => (await device.verifyLive('ticket-4711')).toJson(), resultOf);
  replay(
    'takeBackAdmission',
    (device) async => (await device.takeBackAdmission('ticket-4711')).value,
    (body) => (body! as Map)['outcome'],
  );

  for (final MapEntry(key: vector, value: (:body, :valid)) in answersTo('configure').entries) {
    test(vector, () async {
      answers['configure'] = body;
      if (!valid) return expectLater(SvcDevice.create(configuration), throwsCode('message-invalid'));
      final device = await SvcDevice.create(configuration);
      addTearDown(device.dispose);
      expect((await device.status.first).toJson(), (body! as Map)['status']);
    });
  }

  test('calls carry what the contract names, and failures their code', () async {
    final device = await SvcDevice.create(configuration);
    expect(jsonDecode(calls.single.arguments as String), configuration.toJson());
    await expectLater(SvcDevice.create(configuration), throwsCode('device-in-use'));
    await expectLater(device.verifyLive(' 4711', headTurn: HeadTurn.alternative), throwsCode('busy'));
    expect(jsonDecode(calls.last.arguments as String), {'scannedId': ' 4711', 'headTurn': 'alternative'});
    await device.dispose();
    await expectLater(device.syncAsync(), throwsCode('disposed'));
  });

  test('prompts arrive, and null at the end', () async {
    final device = await SvcDevice.create(configuration);
    addTearDown(device.dispose);
    final prompts = expectLater(device.prompts.map((prompt) => prompt?.key), emitsInOrder([PromptKey.lookBack, null]));
    await tell('prompt', {
      'prompt': {'key': 'look-back', 'progress': 1, 'remainingMs': 900},
    });
    await tell('prompt', {'prompt': null});
    await prompts;
  });
}
