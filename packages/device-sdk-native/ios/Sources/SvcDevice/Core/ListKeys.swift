import Foundation

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
