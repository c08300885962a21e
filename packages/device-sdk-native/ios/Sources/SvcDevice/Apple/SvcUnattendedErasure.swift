#if canImport(UIKit)
  import BackgroundTasks
  import Foundation

  /// Deletes face data at its deadline although nobody opens the app: as a best effort, since the system decides when
  /// background tasks run. What is late is erased at the next start, before anything else.
  public enum SvcUnattendedErasure {
    /// Add it to `BGTaskSchedulerPermittedIdentifiers` in Info.plist, and `fetch` to `UIBackgroundModes`.
    public static let taskIdentifier = "svc.device.erase"

    /// Erases what is due, and registers the background task: call it first in
    /// `application(_:didFinishLaunchingWithOptions:)` or in the initialiser of a SwiftUI app.
    public static func applicationDidLaunch() {
      _ = eraseIfDue()
      _ = isRegistered
    }

    /// Once a process: the scheduler ends apps that register a second time.
    private static let isRegistered = BGTaskScheduler.shared.register(
      forTaskWithIdentifier: taskIdentifier, using: nil
    ) { task in
      let isDone = eraseIfDue()
      schedule()
      task.setTaskCompleted(success: isDone)
    }

    /// Before the first unlock nothing can be erased: the next call tries again.
    private static func eraseIfDue() -> Bool {
      do {
        if try DeviceStorage.open().eraseGuard.eraseIfDue() { Task { await SvcDevice.dataErased() } }
        return true
      } catch {
        return false
      }
    }

    static func schedule() {
      guard let eraseAtMs = try? DeviceStorage.open().eraseGuard.eraseAtMs() else { return }
      let request = BGAppRefreshTaskRequest(identifier: taskIdentifier)
      // Apple advises a week at most; what is not due then is asked for again.
      request.earliestBeginDate = min(Date(timeIntervalSince1970: Double(eraseAtMs) / 1_000), Date() + 7 * 86_400)
      // Fails where the app lacks the identifier, background refresh is off, or the app's own refresh task is pending.
      try? BGTaskScheduler.shared.submit(request)
    }
  }
#endif
