/// Offline face check-in at a door: sync, live verification of a scanned ID, and the camera view.
library;

export 'src/camera_view.dart';
export 'src/configuration.dart';
export 'src/contract.g.dart' show DeviceStatus, Prompt, SyncResult, VerificationResult;
export 'src/device.dart';
