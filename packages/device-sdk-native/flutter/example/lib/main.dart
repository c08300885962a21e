import 'package:flutter/material.dart';
import 'package:svc_device/svc_device.dart';

/// Given at build time: `flutter run --dart-define=SVC_TOKEN=svcd_… --dart-define=SVC_URL=… --dart-define=SVC_KEY=…`.
const configuration = SvcConfiguration(
  deviceToken: String.fromEnvironment('SVC_TOKEN'),
  region: Region(baseUrl: String.fromEnvironment('SVC_URL'), signingKeys: [String.fromEnvironment('SVC_KEY')]),
);

void main() => runApp(const MaterialApp(home: Door()));

class Door extends StatefulWidget {
  const Door({super.key});

  @override
  State<Door> createState() => _DoorState();
}

class _DoorState extends State<Door> {
  final _id = TextEditingController();
  late final Future<SvcDevice> _device = SvcDevice.create(configuration);
  String _text = '';
  bool _busy = false;

  @override
  void dispose() {
    _device.then((device) => device.dispose()).ignore();
    _id.dispose();
    super.dispose();
  }

  Future<void> _verify(SvcDevice device) async {
    setState(() => _busy = true);
    try {
      final result = await device.verifyLive(_id.text);
      _say(switch (result.outcome) {
        VerificationOutcome.match => 'Let the person in',
        VerificationOutcome.notEnrolled ||
        VerificationOutcome.leaseExpired ||
        VerificationOutcome.expired => 'Standard check-in',
        VerificationOutcome.livenessFailed ||
        VerificationOutcome.challengeFailed ||
        VerificationOutcome.noMatch ||
        VerificationOutcome.noFace => 'Call a member of staff',
      });
    } on SvcDeviceException catch (error) {
      _say(error.code);
    } finally {
      _id.clear();
    }
  }

  void _say(String text) {
    if (mounted) setState(() => (_text, _busy) = (text, false));
  }

  @override
  Widget build(BuildContext context) => Scaffold(
    body: SafeArea(
      child: Column(
        children: [
          // Also while the device is created: iOS pauses pages that no window shows.
          const Expanded(child: SvcCameraView()),
          FutureBuilder(
            future: _device,
            builder: (context, snapshot) => switch (snapshot) {
              AsyncSnapshot(:final error?) => Text('$error'),
              AsyncSnapshot(data: final device?) => _door(device),
              _ => const LinearProgressIndicator(),
            },
          ),
        ],
      ),
    ),
  );

  Widget _door(SvcDevice device) => Column(
    children: [
      StreamBuilder(
        stream: device.status,
        builder: (context, status) => Text(status.data?.ready ?? false ? '${status.data!.people} people' : 'Not ready'),
      ),
      TextField(
        controller: _id,
        decoration: const InputDecoration(labelText: 'Ticket'),
      ),
      Row(
        children: [
          FilledButton(onPressed: _busy ? null : () => _verify(device), child: const Text('Verify')),
          TextButton(onPressed: _busy ? device.cancel : device.syncAsync, child: Text(_busy ? 'Cancel' : 'Sync')),
        ],
      ),
      Text(_text, style: Theme.of(context).textTheme.headlineMedium),
    ],
  );
}
