import Flutter
import SvcDevice
import UIKit

/// Carries calls and events between Dart and the shell. Flutter calls it on the main thread.
@MainActor
public final class SvcDevicePlugin: NSObject, @preconcurrency FlutterPlugin {
  private let shell = SvcDeviceChannel()

  public static func register(with registrar: any FlutterPluginRegistrar) {
    let plugin = SvcDevicePlugin()
    let dart = FlutterMethodChannel(name: "svc_device", binaryMessenger: registrar.messenger())
    registrar.addMethodCallDelegate(plugin, channel: dart)
    // Flutter tells the end of its engine to published plugins alone.
    registrar.publish(plugin)
    plugin.shell.events = { name, body in dart.invokeMethod(name, arguments: body) }
    registrar.register(CameraViewFactory(plugin.shell), withId: "svc_device/camera")
  }

  public func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult) {
    nonisolated(unsafe) let result = result
    shell.call(call.method, body: call.arguments as? String ?? "") { body, code, message in
      result(body ?? FlutterError(code: code ?? "message-invalid", message: message, details: nil))
    }
  }

  /// Frees the device; what is stored stays.
  public func detachFromEngine(for registrar: any FlutterPluginRegistrar) {
    shell.events = nil
    shell.call("dispose", body: "{}") { _, _, _ in }
  }
}

@MainActor
private final class CameraViewFactory: NSObject, @preconcurrency FlutterPlatformViewFactory {
  private let shell: SvcDeviceChannel

  init(_ shell: SvcDeviceChannel) {
    self.shell = shell
  }

  func create(withFrame frame: CGRect, viewIdentifier viewId: Int64, arguments args: Any?) -> any FlutterPlatformView {
    CameraView(shell.createCameraView())
  }
}

@MainActor
private final class CameraView: NSObject, @preconcurrency FlutterPlatformView {
  private let shown: SvcCameraView

  init(_ shown: SvcCameraView) {
    self.shown = shown
  }

  func view() -> UIView { shown }
}
