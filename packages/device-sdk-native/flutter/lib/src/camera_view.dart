import 'package:flutter/foundation.dart';
import 'package:flutter/services.dart';
import 'package:flutter/widgets.dart';

/// The camera's picture with the prompts, or without them if the app draws them. Empty while no device was created.
///
/// One of them shows the device's page at a time: the one that was built last. It needs bounded constraints.
class SvcCameraView extends StatelessWidget {
  const SvcCameraView({super.key});

  static const viewType = 'svc_device/camera';

  @override
  Widget build(BuildContext context) => switch (defaultTargetPlatform) {
    TargetPlatform.android => const AndroidView(viewType: viewType, creationParamsCodec: StandardMessageCodec()),
    TargetPlatform.iOS => const UiKitView(viewType: viewType, creationParamsCodec: StandardMessageCodec()),
    final other => throw UnsupportedError('svc_device runs on Android and iOS, not on ${other.name}'),
  };
}
