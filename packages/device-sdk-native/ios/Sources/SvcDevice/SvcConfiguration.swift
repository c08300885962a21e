import Foundation

/// The service of a device.
public enum SvcRegion: Equatable, Sendable {
  case eu
  case us
  /// A deployment's own address, and its signing keys (Ed25519, base64url): the current one and the next, if any.
  case own(baseURL: URL, signingKeys: [String])
}

extension SvcRegion {
  var wire: Region {
    switch self {
    case .eu: Region(name: .eu)
    case .us: Region(name: .us)
    case .own(let baseURL, let signingKeys): Region(baseUrl: baseURL.absoluteString, signingKeys: signingKeys)
    }
  }
}

/// Versions that the shell tells the page.
enum SvcVersion {
  static let shell = "0.2.0"
  static let contractMinor = 0
}

/// What a device is made with. Its description leaves out the token.
public struct SvcConfiguration: Sendable {
  /// Shown once when the device is added to a list; as secret as the list.
  public var deviceToken: String
  public var region: SvcRegion
  /// ``PassiveLiveness/absentStaffInView`` declares that staff watch every attempt.
  public var passiveLiveness: PassiveLiveness = .required
  public var lightChallenge: LightChallenge = .off
  /// Longest answer of a sync; the page's default is 256 MiB.
  public var maxSyncBytes: Int?
  /// For each request of a sync with its answer, in seconds; the page's default is two minutes.
  public var syncTimeout: TimeInterval?
  /// BCP 47; the system's language without it.
  public var language: String?
  /// Whether the page draws prompts over the picture, or the app does from ``SvcDevice/prompts``.
  public var prompts: PromptsBy = .page
  public var camera: CameraFacing = .user

  public init(deviceToken: String, region: SvcRegion) {
    self.deviceToken = deviceToken
    self.region = region
  }
}

extension SvcConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SvcConfiguration(region: \(region))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["region": region]) }
}
