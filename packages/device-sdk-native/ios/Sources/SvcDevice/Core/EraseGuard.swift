import Foundation

/// The wall time at which the shell itself deletes face data, whether or not the page ever runs again.
///
/// Synchronous, so that an app carries it out before anything else: at its start, at each return to the foreground, and
/// in a background task.
struct EraseGuard: Sendable {
  private static let name = "erase-at"
  /// The page sets the time while the app may be erasing: neither comes between the other's steps.
  private static let lock = NSRecursiveLock()

  let folder: DeviceFolder
  let storage: any SecretStorage

  /// - Parameter eraseAtMs: milliseconds since 1970; nil if there is nothing to erase.
  /// - Throws: `storage-failed`
  func set(_ eraseAtMs: Int?) throws {
    let file = folder.file(Self.name)
    try Self.lock.withLock {
      guard let eraseAtMs else { return try folder.delete(file) }
      try folder.replace(file, with: Data(String(eraseAtMs).utf8))
    }
  }

  /// Nil if nothing is to be erased.
  /// - Throws: `storage-failed`, also before the first unlock since the device was switched on.
  func eraseAtMs() throws -> Int? {
    guard let content = try folder.read(folder.file(Self.name)) else { return nil }
    // A damaged time has passed: data that nobody dates is not kept.
    return Int(String(decoding: content, as: UTF8.self)) ?? 0
  }

  /// Erases if the time has come.
  /// - Returns: whether it had.
  /// - Throws: `storage-failed`; the time stays set, and the next call tries again.
  @discardableResult
  func eraseIfDue(now: Date = Date()) throws -> Bool {
    try Self.lock.withLock {
      guard let eraseAtMs = try eraseAtMs(), now.timeIntervalSince1970 * 1_000 >= Double(eraseAtMs) else { return false }
      try eraseData()
      try set(nil)
      return true
    }
  }

  /// Deletes the keys of face data and of the log, and only then what they open.
  /// - Throws: `storage-failed`
  func eraseData() throws {
    try storage.deleteDataKeys()
    for name in [PackStore.packs, PackStore.pages, PackStore.uploads] { try folder.empty(name) }
  }
}
