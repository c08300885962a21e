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
