import Foundation
import XCTest

@testable import SvcDevice

/// `contract/vectors/keys.json`.
final class KeyVectorsTests: XCTestCase {
  private struct Keys: Decodable {
    struct Derivation: Decodable { let name, ikm, salt, info: String; let length: Int; let bytes: String }
    struct Code: Decodable { let name, key, message, mac: String }
    struct Device: Decodable { let privateKey, publicKey: String }
    struct Open: Decodable { let name, enc, ciphertext, info: String; let plaintext: String? }
    struct OpenKeys: Decodable {
      struct Opens: Decodable { let epochs: [Int]; let hasCheckInSecret: Bool }
      struct Derive: Decodable { let epoch: Int; let salt, info: String; let length: Int; let bytes: String }
      struct Sign: Decodable { let message: String; let signature: String? }
      let name: String
      let request: OpenListKeysRequest
      let opens: Opens?
      let derive: [Derive]?
      let signCheckIn: [Sign]?
    }
    let hkdf: [Derivation]
    let hmac: [Code]
    let device: Device
    let opens: [Open]
    let openListKeys: [OpenKeys]
  }

  private let cryptography = TestCryptography()
  private func vectors() throws -> Keys { try Vectors.read("keys") }

  func testDerives() throws {
    for vector in try vectors().hkdf {
      let key = Secret(copying: try bytes(vector.ikm))
      let derived = cryptography.derive(
        from: key, salt: try bytes(vector.salt), info: try bytes(vector.info), count: vector.length)
      XCTAssertEqual(Base64URL.encode(derived.data), vector.bytes, vector.name)
    }
  }

  func testAuthenticates() throws {
    for vector in try vectors().hmac {
      let code = cryptography.authenticationCode(
        of: [try bytes(vector.message)], key: Secret(copying: try bytes(vector.key)))
      XCTAssertEqual(Base64URL.encode(code.data), vector.mac, vector.name)
    }
  }

  #if os(Linux)
    func testOpensByHPKE() throws {
      let vectors = try vectors()
      let key = Libcrypto.Key(scalar: Secret(copying: try bytes(vectors.device.privateKey)))
      XCTAssertEqual(Base64URL.encode(key.publicKey), vectors.device.publicKey)
      var opened = 0
      for vector in vectors.opens {
        let sealed = SealedBytes(
          encapsulated: try bytes(vector.enc), ciphertext: try bytes(vector.ciphertext), info: try bytes(vector.info))
        let plaintext = try? HPKE(cryptography: cryptography).open(sealed, with: key)
        XCTAssertEqual((plaintext?.data).map(Base64URL.encode), vector.plaintext, vector.name)
        opened += plaintext == nil ? 0 : 1
      }
      XCTAssertGreaterThan(opened, 1)
      XCTAssertLessThan(opened, vectors.opens.count)
    }

    func testOpensListKeysInsideTheStore() async throws {
      let vectors = try vectors()
      for vector in vectors.openListKeys {
        let secrets = MemorySecrets()
        try secrets.write(SecretName.deviceKey, Secret(copying: try bytes(vectors.device.privateKey)))
        let folder = try TemporaryFolder()
        let services = try PageServices.fake(secrets: secrets, folder: folder.folder)
        let message = try message("keyStore.openListKeys", vector.request)
        guard let opens = vector.opens else {
          await assertThrows(.openFailed) { try await PageRequest(message).carryOut(with: services) }
          continue
        }
        let answer = try await PageRequest(message).carryOut(with: services)
        let keys = try XCTUnwrap(answer as? OpenedListKeys, vector.name)
        XCTAssertEqual(keys.epochs, opens.epochs, vector.name)
        XCTAssertEqual(keys.hasCheckInSecret, opens.hasCheckInSecret, vector.name)
        // The same before and after they were stored.
        try await services.keys.keep(keys.handle, as: 7)
        let listed = try await services.keys.listKeys(of: 7)
        for handle in [keys.handle, try XCTUnwrap(listed).handle] {
          for each in vector.derive ?? [] {
            let derived = try await services.keys.derive(
              handle, epoch: each.epoch, salt: bytes(each.salt), info: bytes(each.info), count: each.length)
            XCTAssertEqual(Base64URL.encode(derived), each.bytes, vector.name)
          }
          for each in vector.signCheckIn ?? [] {
            let signature = try await services.keys.signCheckIn(handle, message: bytes(each.message))
            XCTAssertEqual(signature.map(Base64URL.encode), each.signature, vector.name)
          }
        }
        await services.keys.release(keys.handle)
        await assertThrows(.storageFailed) { try await services.keys.signCheckIn(keys.handle, message: Data()) }
      }
    }
  #endif

  private func message(_ name: String, _ body: some Encodable & Sendable) throws -> Message {
    let session = Base64URL.encode(Data(count: 16))
    let text = try writeMessage(.request, name, id: 1, session: session, body: body)
    guard case .request(let message, _) = readMessage(text, session: session, highestID: 0) else {
      throw SvcError(.messageInvalid, "not a request")
    }
    return message
  }
}
