#if canImport(Security)
  import Foundation
  import Security

  /// Secrets in the Keychain: of this device alone, in no backup, readable after the first unlock.
  struct Keychain: SecretStorage {
    private static let service = "svc.device"

    func read(_ name: String) throws -> Secret? {
      var query = item(name)
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, var content = found as? Data else { throw Self.failure(status) }
      defer { content.resetBytes(in: 0..<content.count) }
      return Secret(copying: content)
    }

    func write(_ name: String, _ secret: Secret) throws {
      var content = secret.data
      defer { content.resetBytes(in: 0..<content.count) }
      let new: [String: Any] = [
        kSecValueData as String: content,
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = SecItemUpdate(item(name) as CFDictionary, new as CFDictionary)
      if status == errSecItemNotFound {
        status = SecItemAdd(item(name).merging(new) { _, value in value } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw Self.failure(status) }
    }

    func delete(_ name: String) throws {
      let status = SecItemDelete(item(name) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
    }

    func names() throws -> [String] {
      var query = item(nil)
      query[kSecReturnAttributes as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitAll
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return [] }
      guard status == errSecSuccess, let items = found as? [[String: Any]] else { throw Self.failure(status) }
      return items.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    private func item(_ name: String?) -> [String: Any] {
      var item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: Self.service,
        kSecAttrSynchronizable as String: false,
        kSecUseDataProtectionKeychain as String: true,
      ]
      if let name { item[kSecAttrAccount as String] = name }
      return item
    }

    private static func failure(_ status: OSStatus) -> SvcError {
      SvcError(.storageFailed, "the Keychain answered \(status)")
    }
  }
#endif
