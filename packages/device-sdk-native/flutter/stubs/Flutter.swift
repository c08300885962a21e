// What the plugin uses of Flutter's engine, as Swift sees its Objective-C headers: nothing is isolated to an actor.
import UIKit

public typealias FlutterResult = (Any?) -> Void

public protocol FlutterBinaryMessenger: NSObjectProtocol {}

public final class FlutterMethodCall: NSObject {
  public let method = ""
  public let arguments: Any? = nil
}

public final class FlutterError: NSObject {
  public init(code: String, message: String?, details: Any?) {}
}

public final class FlutterMethodChannel: NSObject {
  public init(name: String, binaryMessenger messenger: any FlutterBinaryMessenger) {}
  public func invokeMethod(_ method: String, arguments: Any?) {}
}

public protocol FlutterPlugin: NSObjectProtocol {
  static func register(with registrar: any FlutterPluginRegistrar)
  func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult)
  func detachFromEngine(for registrar: any FlutterPluginRegistrar)
}

public protocol FlutterPluginRegistrar: NSObjectProtocol {
  func messenger() -> any FlutterBinaryMessenger
  func publish(_ value: NSObject)
  func register(_ factory: any FlutterPlatformViewFactory, withId factoryId: String)
  func addMethodCallDelegate(_ delegate: any FlutterPlugin, channel: FlutterMethodChannel)
}

public protocol FlutterPlatformViewFactory: NSObjectProtocol {
  func create(withFrame frame: CGRect, viewIdentifier viewId: Int64, arguments args: Any?) -> any FlutterPlatformView
}

public protocol FlutterPlatformView: NSObjectProtocol {
  func view() -> UIView
}
