/// Why a call failed. The message is English, for developers; it holds no secret, no ID of a person and no path.
public struct SvcError: Error, Equatable, Sendable {
  public let code: FailureCode
  public let message: String

  init(_ code: FailureCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension SvcError: CustomStringConvertible {
  public var description: String { "\(code.rawValue): \(message)" }
}
