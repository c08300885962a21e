import UIKit

/// ``SvcDeviceChannel`` as Objective-C sees it, for the binding.
@MainActor
@objc(SvcDeviceBinding)
public final class SvcDeviceBinding: NSObject {
  private let channel = SvcDeviceChannel()

  /// Call it first when the app launches.
  @objc public static func applicationDidLaunch() { SvcUnattendedErasure.applicationDidLaunch() }

  @objc public var events: ((String, String) -> Void)? {
    didSet {
      guard let events else { return channel.events = nil }
      channel.events = { name, body in events(name, body) }
    }
  }

  /// Main thread.
  @objc(call:body:answer:)
  public func call(_ name: String, body: String, answer: @escaping (String?, String?, String?) -> Void) {
    channel.call(name, body: body) { body, code, message in answer(body, code, message) }
  }

  @objc public func createCameraView() -> UIView { channel.createCameraView() }
}
