// Stub for type checks on Linux: what the shell uses of AVFoundation, as in the SDK of iOS 18 for iOS 15.
import Foundation

public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let video = AVMediaType(rawValue: "vide")
}

public enum AVAuthorizationStatus: Int, Sendable { case notDetermined, restricted, denied, authorized }

open class AVCaptureDevice: NSObject {
  public class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus { fatalError() }
  public class func requestAccess(for mediaType: AVMediaType) async -> Bool { fatalError() }
}
