// Stub for type checks on Linux: what the shell uses of CryptoKit in iOS 15.
import Foundation
import Security

public enum CryptoKitError: Error {
  case incorrectKeySize
  case incorrectParameterSize
  case authenticationFailure
  case underlyingCoreCryptoError(error: Int32)
}

public struct SymmetricKey: ContiguousBytes, Sendable {
  public init(data: some ContiguousBytes) { fatalError() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public protocol HashFunction {}
public struct SHA256: HashFunction, Sendable {}

public struct HashedAuthenticationCode<H: HashFunction>: ContiguousBytes, Sendable {
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public struct HMAC<H: HashFunction>: Sendable {
  public init(key: SymmetricKey) { fatalError() }
  public mutating func update<D: DataProtocol>(data: D) { fatalError() }
  public func finalize() -> HashedAuthenticationCode<H> { fatalError() }
}

public enum AES {
  public enum GCM {
    public struct Nonce: Sendable {
      public init<D: DataProtocol>(data: D) throws { fatalError() }
    }
    public struct SealedBox: Sendable {
      public init<C: DataProtocol, T: DataProtocol>(nonce: AES.GCM.Nonce, ciphertext: C, tag: T) throws { fatalError() }
    }
    public static func open(_ sealedBox: AES.GCM.SealedBox, using key: SymmetricKey) throws -> Data { fatalError() }
  }
}

public struct SharedSecret: ContiguousBytes, Sendable {
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

// Sendable in newer SDKs only.
public enum P256 {
  public enum KeyAgreement {
    public struct PublicKey {
      public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws { fatalError() }
      public var x963Representation: Data { fatalError() }
    }
    public struct PrivateKey {
      public init(compactRepresentable: Bool = true) { fatalError() }
      public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws { fatalError() }
      public var rawRepresentation: Data { fatalError() }
      public var publicKey: P256.KeyAgreement.PublicKey { fatalError() }
      public func sharedSecretFromKeyAgreement(with publicKeyShare: P256.KeyAgreement.PublicKey) throws -> SharedSecret {
        fatalError()
      }
    }
  }
}

public enum SecureEnclave {
  public static var isAvailable: Bool { fatalError() }
  public enum P256 {
    public enum KeyAgreement {
      public struct PrivateKey {
        public init(compactRepresentable: Bool = true, accessControl: SecAccessControl) throws { fatalError() }
        public init(dataRepresentation: Data) throws { fatalError() }
        public var dataRepresentation: Data { fatalError() }
        public var publicKey: CryptoKit.P256.KeyAgreement.PublicKey { fatalError() }
        public func sharedSecretFromKeyAgreement(
          with publicKeyShare: CryptoKit.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret { fatalError() }
      }
    }
  }
}
