#if canImport(UIKit)
  import Foundation

  /// What a device stores: one folder in Application Support, and its keys in the Keychain.
  struct DeviceStorage: Sendable {
    let folder: DeviceFolder
    let keychain: Keychain

    /// - Throws: `storage-failed`
    static func open() throws -> DeviceStorage {
      let keychain = Keychain()
      let url = try location()
      // The Keychain outlives the app: keys that a deleted app has left open nothing of this one's.
      if !FileManager.default.fileExists(atPath: url.path) { try keychain.deleteDataKeys() }
      return DeviceStorage(folder: try DeviceFolder(at: url, protect: protect), keychain: keychain)
    }

    var eraseGuard: EraseGuard { EraseGuard(folder: folder, storage: keychain) }

    /// Deletes every key, checks that none is left, and only then everything else.
    /// - Throws: `storage-failed`
    static func forget(keepDeviceKey: Bool) throws {
      let keychain = Keychain()
      func remaining() throws -> [String] {
        try keychain.names().filter { !(keepDeviceKey && $0 == SecretName.deviceKey) }
      }
      for name in try remaining() { try keychain.delete(name) }
      guard try remaining().isEmpty else { throw SvcError(.storageFailed, "the keys are still there") }
      let url = try location()
      guard FileManager.default.fileExists(atPath: url.path) else { return }
      try inStorage { try FileManager.default.removeItem(at: url) }
    }

    private static func location() throws -> URL {
      try inStorage {
        try FileManager.default
          .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
          .appendingPathComponent("svc-device", isDirectory: true)
      }
    }

    private static func protect(_ folder: URL) throws {
      try FileManager.default.setAttributes(
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: folder.path)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      var folder = folder
      try folder.setResourceValues(values)
    }
  }
#endif
