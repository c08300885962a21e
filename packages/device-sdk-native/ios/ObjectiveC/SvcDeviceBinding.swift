import UIKit

/// ``SvcDeviceChannel`` as Objective-C sees it, for React Native and the binding for .NET. Main thread.
@MainActor
@objc(SvcDeviceBinding)
public final class SvcDeviceBinding: NSObject {
  /// Outlives a reload of React Native's JavaScript.
  @objc public static let shared = SvcDeviceBinding()
  private let channel = SvcDeviceChannel()

  /// Call it first when the app launches.
  @objc public static func applicationDidLaunch() { SvcUnattendedErasure.applicationDidLaunch() }

  @objc public var events: ((String, String) -> Void)? {
    didSet {
      guard let events else { return channel.events = nil }
      channel.events = { name, body in events(name, body) }
    }
  }

  @objc(call:body:answer:)
  public func call(_ name: String, body: String, answer: @escaping (String?, String?, String?) -> Void) {
    channel.call(name, body: body) { body, code, message in answer(body, code, message) }
  }

  @objc public func createCameraView() -> UIView { channel.createCameraView() }
}
