#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
  import Security

  /// ``Cryptography`` over CryptoKit, with what iOS 15 has of it.
  struct AppleCryptography: Cryptography {
    private static let tagBytes = 16

    func authenticationCode(of parts: [any ContiguousBytes], key: Secret) -> Secret {
      var code = HMAC<SHA256>(key: SymmetricKey(data: key))
      for part in parts { part.withUnsafeBytes { code.update(data: $0) } }
      return Secret(copying: code.finalize())
    }

    func openAESGCM(_ sealed: Data, key: Secret, nonce: Secret) throws -> Secret {
      guard sealed.count >= Self.tagBytes else { throw CryptoKitError.incorrectParameterSize }
      let box = try AES.GCM.SealedBox(
        nonce: AES.GCM.Nonce(data: nonce.data), ciphertext: sealed.dropLast(Self.tagBytes),
        tag: sealed.suffix(Self.tagBytes))
      var opened = try AES.GCM.open(box, using: SymmetricKey(data: key))
      defer { opened.resetBytes(in: 0..<opened.count) }
      return Secret(copying: opened)
    }

    func makeAgreementKey() throws -> any AgreementKey {
      guard SecureEnclave.isAvailable else { return SoftwareKey(key: P256.KeyAgreement.PrivateKey()) }
      let access = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
      guard let access else { throw CryptoKitError.underlyingCoreCryptoError(error: errSecParam) }
      return EnclaveKey(key: try SecureEnclave.P256.KeyAgreement.PrivateKey(accessControl: access))
    }

    func agreementKey(stored: Secret) throws -> any AgreementKey {
      guard stored.count > 1 else { throw CryptoKitError.incorrectKeySize }
      let content = stored.slice(1..<stored.count)
      switch stored.withUnsafeBytes({ $0[0] }) {
      case EnclaveKey.kind:
        return EnclaveKey(key: try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: content.data))
      case SoftwareKey.kind: return SoftwareKey(key: try P256.KeyAgreement.PrivateKey(rawRepresentation: content))
      default: throw CryptoKitError.incorrectKeySize
      }
    }
  }

  /// A key that never leaves the Secure Enclave; what is stored is of use to this device's Enclave alone.
  private struct EnclaveKey: AgreementKey, @unchecked Sendable {
    static let kind: UInt8 = 1

    /// Immutable, but not `Sendable` in every SDK.
    let key: SecureEnclave.P256.KeyAgreement.PrivateKey

    var publicKey: Data { key.publicKey.x963Representation }

    var stored: Secret { Secret(parts: [[Self.kind], key.dataRepresentation]) }

    func agree(with point: Data) throws -> Secret {
      let other = try P256.KeyAgreement.PublicKey(x963Representation: point)
      return try Secret(copying: key.sharedSecretFromKeyAgreement(with: other))
    }
  }

  /// A key in the Keychain, for devices and simulators without a Secure Enclave.
  private struct SoftwareKey: AgreementKey, @unchecked Sendable {
    static let kind: UInt8 = 2

    /// Immutable, but not `Sendable` in every SDK.
    let key: P256.KeyAgreement.PrivateKey

    var publicKey: Data { key.publicKey.x963Representation }

    var stored: Secret { Secret(parts: [[Self.kind], key.rawRepresentation]) }

    func agree(with point: Data) throws -> Secret {
      let other = try P256.KeyAgreement.PublicKey(x963Representation: point)
      return try Secret(copying: key.sharedSecretFromKeyAgreement(with: other))
    }
  }
#endif
