// Stub for type checks on Linux: what the shell uses of BackgroundTasks, as in the SDK of iOS 18 for iOS 15.
import Foundation

open class BGTask: NSObject {
  open func setTaskCompleted(success: Bool) {}
}

open class BGTaskRequest: NSObject {
  open var earliestBeginDate: Date?
}

open class BGAppRefreshTaskRequest: BGTaskRequest {
  public init(identifier: String) {}
}

open class BGTaskScheduler: NSObject, @unchecked Sendable {
  public class var shared: BGTaskScheduler { fatalError() }
  @discardableResult
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool { fatalError() }
  open func submit(_ taskRequest: BGTaskRequest) throws {}
}
