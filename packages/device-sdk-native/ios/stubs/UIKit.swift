// Stub for type checks on Linux: what the shell uses of UIKit, and of Foundation on Apple's platforms, as in the SDK of
// iOS 18 for iOS 15.
@_exported import Foundation
@_exported import FoundationNetworking

@MainActor open class UIResponder: NSObject {
  public override init() {}
}

@MainActor open class UIColor: NSObject {
  public class var black: UIColor { fatalError() }
}

@MainActor open class UIView: UIResponder {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
  }
  public override convenience init() { self.init(frame: .zero) }
  public init(frame: CGRect) {}
  public required init?(coder: NSCoder) { fatalError() }
  open var frame: CGRect = .zero
  open var bounds: CGRect = .zero
  open var backgroundColor: UIColor?
  open var isOpaque = true
  open var clipsToBounds = false
  open var autoresizingMask: AutoresizingMask = []
  open var superview: UIView? { fatalError() }
  open func addSubview(_ view: UIView) {}
  open func removeFromSuperview() {}
}

@MainActor open class UIScrollView: UIView {
  public enum ContentInsetAdjustmentBehavior: Int, Sendable { case automatic, scrollableAxes, never, always }
  open var isScrollEnabled = true
  open var contentInsetAdjustmentBehavior: ContentInsetAdjustmentBehavior = .automatic
}

@MainActor open class UIApplication: UIResponder {
  public enum State: Int, Sendable { case active, inactive, background }
  public class var shared: UIApplication { fatalError() }
  open var applicationState: State { fatalError() }
  public nonisolated class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
  public nonisolated class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
  public nonisolated class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
  public nonisolated class var didReceiveMemoryWarningNotification: NSNotification.Name { fatalError() }
}

// Foundation on Apple's platforms.

public struct FileProtectionType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let completeUntilFirstUserAuthentication = FileProtectionType(rawValue: "")
}
extension FileAttributeKey {
  public static let protectionKey = FileAttributeKey(rawValue: "NSFileProtectionKey")
}
extension URLResourceValues {
  public var isExcludedFromBackup: Bool? { get { fatalError() } set {} }
}
