import Foundation

/// What the platform computes: CryptoKit on Apple platforms, another implementation in tests on Linux.
protocol Cryptography: Sendable {
  /// HMAC-SHA-256 of the parts one after another, 32 bytes.
  func authenticationCode(of parts: [any ContiguousBytes], key: Secret) -> Secret

  /// Opens AES-256-GCM with empty additional data.
  /// - Parameter sealed: the ciphertext and its tag of 16 bytes.
  /// - Throws: any error if it does not open.
  func openAESGCM(_ sealed: Data, key: Secret, nonce: Secret) throws -> Secret

  /// A new P-256 key, in the Secure Enclave where there is one.
  func makeAgreementKey() throws -> any AgreementKey

  /// The key whose `stored` form this is.
  func agreementKey(stored: Secret) throws -> any AgreementKey
}

/// A private P-256 key that only agrees on secrets.
protocol AgreementKey: Sendable {
  /// The uncompressed point, 65 bytes.
  var publicKey: Data { get }

  /// What ``Cryptography/agreementKey(stored:)`` makes the same key of, on this device alone.
  var stored: Secret { get }

  /// The x-coordinate of the shared point, 32 bytes (SEC 1, 3.3.1).
  /// - Throws: any error if `point` is not an uncompressed point of the curve.
  func agree(with point: Data) throws -> Secret
}

extension Cryptography {
  /// HKDF-Extract (RFC 5869, 2.2) with SHA-256.
  func extract(salt: some ContiguousBytes, from material: [any ContiguousBytes]) -> Secret {
    let key = Secret(copying: salt)
    // An absent salt is 32 zeros.
    return authenticationCode(of: material, key: key.count > 0 ? key : Secret(count: 32) { _ in })
  }

  /// HKDF-Expand (RFC 5869, 2.3) with SHA-256.
  /// - Parameter count: 1 to 8,160 bytes.
  func expand(_ key: Secret, info: [any ContiguousBytes], count: Int) -> Secret {
    var blocks: [Secret] = []
    while blocks.count * 32 < count {
      let chained: [any ContiguousBytes] = blocks.last.map { [$0] } ?? []
      let number = [UInt8(blocks.count + 1)]
      blocks.append(authenticationCode(of: chained + info + [number], key: key))
    }
    return Secret(parts: blocks).slice(0..<count)
  }

  /// HKDF (RFC 5869) with SHA-256.
  func derive(from key: Secret, salt: Data, info: Data, count: Int) -> Secret {
    expand(extract(salt: salt, from: [key]), info: [info], count: count)
  }
}

/// HPKE (RFC 9180) in base mode, one message with empty additional data: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256,
/// AES-256-GCM. Written out because CryptoKit has HPKE from iOS 17 on.
struct HPKE: Sendable {
  private static let kem = Array("KEM".utf8) + [0x00, 0x10]
  private static let suite = Array("HPKE".utf8) + [0x00, 0x10, 0x00, 0x01, 0x00, 0x02]

  let cryptography: any Cryptography

  /// Opens `sealed` with the recipient's key (RFC 9180, 6.1, `OpenBase`).
  /// - Throws: any error if it does not open.
  func open(_ sealed: SealedSecret, with key: any AgreementKey) throws -> Secret {
    let shared = try decapsulate(sealed.enc, with: key)
    let context = keySchedule(shared: shared, info: sealed.info)
    return try cryptography.openAESGCM(sealed.ciphertext, key: context.key, nonce: context.nonce)
  }

  /// `Decap` of 4.1.
  func decapsulate(_ encapsulated: Data, with key: any AgreementKey) throws -> Secret {
    let agreed = try key.agree(with: encapsulated)
    let extracted = labeledExtract(Self.kem, salt: [], label: "eae_prk", [agreed])
    return labeledExpand(Self.kem, extracted, label: "shared_secret", [encapsulated, key.publicKey], count: 32)
  }

  /// `KeySchedule` of 5.1 in base mode; the nonce is that of the first message.
  func keySchedule(shared: Secret, info: Data) -> (key: Secret, nonce: Secret) {
    let base: [UInt8] = [0x00]
    let identifierHash = labeledExtract(Self.suite, salt: [], label: "psk_id_hash", [])
    let infoHash = labeledExtract(Self.suite, salt: [], label: "info_hash", [info])
    let context: [any ContiguousBytes] = [base, identifierHash, infoHash]
    let secret = labeledExtract(Self.suite, salt: shared, label: "secret", [])
    return (
      key: labeledExpand(Self.suite, secret, label: "key", context, count: 32),
      nonce: labeledExpand(Self.suite, secret, label: "base_nonce", context, count: 12)
    )
  }

  /// `LabeledExtract` of 4.
  private func labeledExtract(
    _ suite: [UInt8], salt: some ContiguousBytes, label: String, _ material: [any ContiguousBytes]
  ) -> Secret {
    cryptography.extract(salt: salt, from: [Array("HPKE-v1".utf8), suite, Array(label.utf8)] + material)
  }

  /// `LabeledExpand` of 4.
  private func labeledExpand(
    _ suite: [UInt8], _ key: Secret, label: String, _ info: [any ContiguousBytes], count: Int
  ) -> Secret {
    let length = [UInt8(count >> 8), UInt8(count & 0xff)]
    return cryptography.expand(key, info: [length, Array("HPKE-v1".utf8), suite, Array(label.utf8)] + info, count: count)
  }
}
