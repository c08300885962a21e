#if os(Linux)
  import Foundation
  import Glibc

  @testable import SvcDevice

  /// ``Cryptography`` over OpenSSL's libcrypto, which Debian has: so that the shell's HPKE opens real ciphertexts where
  /// there is no CryptoKit. Loaded by name, so that neither headers nor linker flags are needed.
  struct Libcrypto: Cryptography {
    struct Failed: Error {}

    func authenticationCode(of parts: [any ContiguousBytes], key: Secret) -> Secret {
      let message = Secret(parts: parts)
      return Secret(count: 32) { code in
        key.withUnsafeBytes { key in
          message.withUnsafeBytes { message in
            var length: UInt32 = 32
            _ = hmac(
              sha256(), key.baseAddress, Int32(key.count), message.baseAddress, message.count, code.baseAddress, &length)
          }
        }
      }
    }

    func openAESGCM(_ sealed: Data, key: Secret, nonce: Secret) throws -> Secret {
      guard sealed.count >= 16, key.count == 32, nonce.count == 12 else { throw Failed() }
      let context = newCipher()
      defer { freeCipher(context) }
      let ciphertext = Array(sealed.dropLast(16))
      var tag = Array(sealed.suffix(16))
      return try Secret(count: ciphertext.count) { plaintext in
        var length: Int32 = 0
        let isRight =
          key.withUnsafeBytes { key in
            nonce.withUnsafeBytes { decryptInit(context, aes256gcm(), nil, key.baseAddress, $0.baseAddress) }
          } == 1
          && (ciphertext.isEmpty
            || decryptUpdate(context, plaintext.baseAddress, &length, ciphertext, Int32(ciphertext.count)) == 1)
          && control(context, 0x11, 16, &tag) == 1
          && decryptFinal(context, plaintext.baseAddress.map { $0 + Int(length) }, &length) == 1
        guard isRight else { throw Failed() }
      }
    }

    func makeAgreementKey() throws -> any AgreementKey {
      let key = newKey(415)
      defer { freeKey(key) }
      guard generateKey(key) == 1 else { throw Failed() }
      return Key(scalar: Secret(count: 32) { _ = privateBytes(key, $0.baseAddress, 32) })
    }

    func agreementKey(stored: Secret) throws -> any AgreementKey { Key(scalar: stored) }

    struct Key: AgreementKey {
      let scalar: Secret

      var stored: Secret { scalar }

      var publicKey: Data {
        withKey { key in
          let group = groupOf(key)
          let point = newPoint(group)
          defer { freePoint(point) }
          _ = multiply(group, point, privateNumber(key), nil, nil, nil)
          var bytes = Data(count: 65)
          let written = bytes.withUnsafeMutableBytes { pointBytes(group, point, 4, $0.baseAddress, 65, nil) }
          precondition(written == 65)
          return bytes
        }
      }

      func agree(with point: Data) throws -> Secret {
        try withKey { key in
          guard point.count == 65, point.first == 4 else { throw Failed() }
          let group = groupOf(key)
          let other = newPoint(group)
          defer { freePoint(other) }
          guard readPoint(group, other, Array(point), 65, nil) == 1 else { throw Failed() }
          return try Secret(count: 32) {
            guard computeKey($0.baseAddress, 32, other, key, nil) == 32 else { throw Failed() }
          }
        }
      }

      private func withKey<Result>(_ body: (OpaquePointer?) throws -> Result) rethrows -> Result {
        let key = newKey(415)
        defer { freeKey(key) }
        _ = scalar.withUnsafeBytes { readPrivate(key, $0.baseAddress, $0.count) }
        return try body(key)
      }
    }
  }

  private typealias Pointer = OpaquePointer?
  private typealias Raw = UnsafeMutableRawPointer?
  private typealias Const = UnsafeRawPointer?

  private struct Library: @unchecked Sendable {
    let handle = dlopen("libcrypto.so.3", RTLD_NOW)

    func callAsFunction<Function>(_ name: String, as _: Function.Type) -> Function {
      guard let symbol = dlsym(handle, name) else { fatalError("libcrypto has no \(name)") }
      return unsafeBitCast(symbol, to: Function.self)
    }
  }

  private let library = Library()
  private let sha256 = library("EVP_sha256", as: (@convention(c) () -> Pointer).self)
  private let hmac = library(
    "HMAC", as: (@convention(c) (Pointer, Const, Int32, Const, Int, Raw, UnsafeMutablePointer<UInt32>) -> Raw).self)
  private let newCipher = library("EVP_CIPHER_CTX_new", as: (@convention(c) () -> Pointer).self)
  private let freeCipher = library("EVP_CIPHER_CTX_free", as: (@convention(c) (Pointer) -> Void).self)
  private let aes256gcm = library("EVP_aes_256_gcm", as: (@convention(c) () -> Pointer).self)
  private let decryptInit = library(
    "EVP_DecryptInit_ex", as: (@convention(c) (Pointer, Pointer, Pointer, Const, Const) -> Int32).self)
  private let decryptUpdate = library(
    "EVP_DecryptUpdate", as: (@convention(c) (Pointer, Raw, UnsafeMutablePointer<Int32>, Const, Int32) -> Int32).self)
  private let decryptFinal = library(
    "EVP_DecryptFinal_ex", as: (@convention(c) (Pointer, Raw, UnsafeMutablePointer<Int32>) -> Int32).self)
  private let control = library(
    "EVP_CIPHER_CTX_ctrl", as: (@convention(c) (Pointer, Int32, Int32, Raw) -> Int32).self)
  private let newKey = library("EC_KEY_new_by_curve_name", as: (@convention(c) (Int32) -> Pointer).self)
  private let freeKey = library("EC_KEY_free", as: (@convention(c) (Pointer) -> Void).self)
  private let generateKey = library("EC_KEY_generate_key", as: (@convention(c) (Pointer) -> Int32).self)
  private let privateBytes = library("EC_KEY_priv2oct", as: (@convention(c) (Pointer, Raw, Int) -> Int).self)
  private let readPrivate = library("EC_KEY_oct2priv", as: (@convention(c) (Pointer, Const, Int) -> Int32).self)
  private let privateNumber = library("EC_KEY_get0_private_key", as: (@convention(c) (Pointer) -> Pointer).self)
  private let groupOf = library("EC_KEY_get0_group", as: (@convention(c) (Pointer) -> Pointer).self)
  private let newPoint = library("EC_POINT_new", as: (@convention(c) (Pointer) -> Pointer).self)
  private let freePoint = library("EC_POINT_free", as: (@convention(c) (Pointer) -> Void).self)
  private let multiply = library(
    "EC_POINT_mul", as: (@convention(c) (Pointer, Pointer, Pointer, Pointer, Pointer, Pointer) -> Int32).self)
  private let pointBytes = library(
    "EC_POINT_point2oct", as: (@convention(c) (Pointer, Pointer, Int32, Raw, Int, Pointer) -> Int).self)
  private let readPoint = library(
    "EC_POINT_oct2point", as: (@convention(c) (Pointer, Pointer, Const, Int, Pointer) -> Int32).self)
  private let computeKey = library(
    "ECDH_compute_key", as: (@convention(c) (Raw, Int, Pointer, Pointer, Raw) -> Int32).self)
#endif
