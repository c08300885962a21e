import UIKit

/// The shell for Objective-C, which cannot see Swift's closures on the main actor. It outlives a reload of the
/// JavaScript. On the main thread.
@objc(SvcShell)
@MainActor
public final class SvcShell: NSObject {
  @objc public static let shared = SvcShell()
  private let channel = SvcDeviceChannel()

  @objc public var events: ((String, String) -> Void)? {
    didSet {
      guard let listener = events else { return channel.events = nil }
      channel.events = { name, body in listener(name, body) }
    }
  }

  @objc(call:body:answer:)
  public func call(_ name: String, body: String, answer: @escaping @Sendable (String?, String?, String?) -> Void) {
    channel.call(name, body: body) { answer($0, $1, $2) }
  }

  @objc public func createCameraView() -> UIView { channel.createCameraView() }
}
