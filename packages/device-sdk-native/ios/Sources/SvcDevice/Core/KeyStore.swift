import Foundation

/// Small secrets by name. Every change is atomic, and durable once the call returns; every failure is `storage-failed`.
protocol SecretStorage: Sendable {
  func read(_ name: String) throws -> Secret?
  /// Replaces an earlier one.
  func write(_ name: String, _ secret: Secret) throws
  /// Idempotent.
  func delete(_ name: String) throws
  func names() throws -> [String]
}

/// Names of the secrets in a ``SecretStorage``.
enum SecretName {
  static let deviceKey = "device-key"
  static let macKey = "mac-key"
  static let admissionKey = "admission-key"
  private static let listKeysPrefix = "list-keys-"

  static func listKeys(_ generation: Int) -> String { listKeysPrefix + String(generation) }

  /// The generation whose list keys have this name.
  static func generation(of name: String) -> Int? {
    name.hasPrefix(listKeysPrefix) ? Int(name.dropFirst(listKeysPrefix.count)) : nil
  }
}

extension SecretStorage {
  /// Deletes what opens face data and the log of admissions: all list keys, then the key of the log.
  /// - Throws: `storage-failed` also if one is still there afterwards.
  func deleteDataKeys() throws {
    func remaining() throws -> [String] {
      try names().filter { SecretName.generation(of: $0) != nil || $0 == SecretName.admissionKey }
    }
    for name in try remaining() { try delete(name) }
    guard try remaining().isEmpty else { throw SvcError(.storageFailed, "list keys are still there") }
  }
}

/// What the page may ask of the keys. None of them leaves this actor: the page gets derived bytes alone.
actor KeyStore {
  private let storage: any SecretStorage
  private let cryptography: any Cryptography
  private var open: [Int: ListKeys] = [:]
  private var lastHandle = 0

  init(storage: any SecretStorage, cryptography: any Cryptography) {
    self.storage = storage
    self.cryptography = cryptography
  }

  // MARK: The device's own key

  /// The uncompressed point, 65 bytes; the pair is made at the first call.
  func devicePublicKey() throws -> Data {
    if let key = try deviceKey() { return key.publicKey }
    let key = try inStorage { try cryptography.makeAgreementKey() }
    try storage.write(SecretName.deviceKey, key.stored)
    return key.publicKey
  }

  func hasDeviceKey() throws -> Bool { try storage.read(SecretName.deviceKey) != nil }

  func deleteDeviceKey() throws { try storage.delete(SecretName.deviceKey) }

  private func deviceKey() throws -> (any AgreementKey)? {
    guard let stored = try storage.read(SecretName.deviceKey) else { return nil }
    return try inStorage { try cryptography.agreementKey(stored: stored) }
  }

  /// HMAC-SHA-256 under a key that is made at the first call and survives the deletion of face data.
  func authenticationCode(of message: Data) throws -> Data {
    cryptography.authenticationCode(of: [message], key: try ownKey(SecretName.macKey)).data
  }

  // MARK: List keys

  /// Opens the keys of a generation; nothing is stored before ``keep(_:as:)``.
  /// - Throws: `open-failed` if one does not open, is no list key, or there is no device key.
  func openListKeys(_ epochs: [SealedEpoch], checkInSecret: SealedSecret?) throws -> OpenedListKeys {
    guard let key = try deviceKey() else { throw Self.unopenable }
    let hpke = HPKE(cryptography: cryptography)
    let opened: ListKeys
    do {
      opened = try ListKeys(
        epochs: epochs.map { (epoch: $0.epoch, key: try hpke.open($0.sealed, with: key)) },
        checkInSecret: try checkInSecret.map { try hpke.open($0, with: key) }
      )
    } catch {
      // Every way of not opening looks the same.
      throw Self.unopenable
    }
    return hold(opened)
  }

  /// Nil if the generation has none.
  func listKeys(of generation: Int) throws -> OpenedListKeys? {
    guard let stored = try storage.read(SecretName.listKeys(generation)) else { return nil }
    return hold(try ListKeys(stored: stored))
  }

  func derive(_ handle: Int, epoch: Int, salt: Data, info: Data, count: Int) throws -> Data {
    guard let key = try held(handle).key(of: epoch) else {
      throw SvcError(.storageFailed, "there is no key of this epoch")
    }
    return try derive(from: key, salt: salt, info: info, count: count)
  }

  /// HMAC-SHA-256 under the check-in secret; nil if the generation has none.
  func signCheckIn(_ handle: Int, message: Data) throws -> Data? {
    try held(handle).checkInSecret.map { cryptography.authenticationCode(of: [message], key: $0).data }
  }

  /// Stores the opened keys under `generation` too.
  func keep(_ handle: Int, as generation: Int) throws {
    try storage.write(SecretName.listKeys(generation), held(handle).encoded)
  }

  /// Wipes the copies in memory. Idempotent.
  func release(_ handle: Int) { open[handle] = nil }

  /// Of a page that is gone.
  func releaseAll() { open.removeAll() }

  func deleteListKeys(of generation: Int) throws { try storage.delete(SecretName.listKeys(generation)) }

  func listKeyGenerations() throws -> [Int] { try storage.names().compactMap(SecretName.generation(of:)) }

  // MARK: The key of the log of admissions

  /// The key is made at the first call.
  func deriveFromAdmissionKey(salt: Data, info: Data, count: Int) throws -> Data {
    try derive(from: ownKey(SecretName.admissionKey), salt: salt, info: info, count: count)
  }

  func hasAdmissionKey() throws -> Bool { try storage.read(SecretName.admissionKey) != nil }

  func deleteAdmissionKey() throws { try storage.delete(SecretName.admissionKey) }

  // MARK: Helpers

  private static let unopenable = SvcError(.openFailed, "the sealed keys do not open")

  private func ownKey(_ name: String) throws -> Secret {
    if let key = try storage.read(name) { return key }
    let key = Secret.random(count: ListKeys.keyBytes)
    try storage.write(name, key)
    return key
  }

  private func derive(from key: Secret, salt: Data, info: Data, count: Int) throws -> Data {
    return cryptography.derive(from: key, salt: salt, info: info, count: count).data
  }

  private func hold(_ keys: ListKeys) -> OpenedListKeys {
    lastHandle += 1
    open[lastHandle] = keys
    return OpenedListKeys(handle: lastHandle, epochs: keys.epochs, hasCheckInSecret: keys.checkInSecret != nil)
  }

  private func held(_ handle: Int) throws -> ListKeys {
    guard let keys = open[handle] else { throw SvcError(.storageFailed, "the list keys were released") }
    return keys
  }
}

/// The list keys of one generation and its check-in secret, as one secret, so that they cannot be mixed with another's.
///
/// Stored as entries of an epoch (4 bytes, big-endian) and a key (32 bytes); the check-in secret has epoch 0.
struct ListKeys: Sendable {
  static let keyBytes = 32
  private static let epochBytes = 4
  private static let entryBytes = epochBytes + keyBytes

  let encoded: Secret
  /// In the order in which they were sealed, without the check-in secret.
  let epochs: [Int]
  private let keys: [Int: Secret]

  /// - Throws: ``FailureCode/openFailed`` unless each key has 32 bytes and each epoch occurs once.
  init(epochs: [(epoch: Int, key: Secret)], checkInSecret: Secret?) throws {
    let entries = epochs + (checkInSecret.map { [(epoch: 0, key: $0)] } ?? [])
    let isComplete = entries.allSatisfy { $0.key.count == Self.keyBytes }
    let isDistinct = Set(entries.map(\.epoch)).count == entries.count
    let isInRange = epochs.allSatisfy { 1...Int(UInt32.max) ~= $0.epoch }
    guard isComplete, isDistinct, isInRange else { throw SvcError(.openFailed, "a sealed key is no list key") }
    self.epochs = epochs.map(\.epoch)
    keys = Dictionary(uniqueKeysWithValues: entries.map { ($0.epoch, $0.key) })
    encoded = Secret(
      parts: entries.flatMap { entry -> [any ContiguousBytes] in
        let epoch = withUnsafeBytes(of: UInt32(entry.epoch).bigEndian) { Array($0) }
        return [epoch, entry.key]
      }
    )
  }

  /// - Throws: ``FailureCode/storageFailed`` if the bytes are not what `encoded` was.
  init(stored: Secret) throws {
    guard stored.count % Self.entryBytes == 0 else { throw SvcError(.storageFailed, "stored list keys are damaged") }
    var epochs: [Int] = []
    var keys: [Int: Secret] = [:]
    for start in stride(from: 0, to: stored.count, by: Self.entryBytes) {
      let key = start + Self.epochBytes
      let epoch = stored.withUnsafeBytes { bytes in bytes[start..<key].reduce(0) { $0 << 8 | Int($1) } }
      keys[epoch] = stored.slice(key..<start + Self.entryBytes)
      if epoch != 0 { epochs.append(epoch) }
    }
    encoded = stored
    self.epochs = epochs
    self.keys = keys
  }

  /// Nil if the generation has no key for the epoch.
  func key(of epoch: Int) -> Secret? { epoch == 0 ? nil : keys[epoch] }

  var checkInSecret: Secret? { keys[0] }
}
