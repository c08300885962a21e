import Foundation
import XCTest

@testable import SvcDevice

#if canImport(CryptoKit)
  typealias TestCryptography = AppleCryptography
#else
  typealias TestCryptography = Libcrypto
#endif

/// Secrets in memory, which can fail.
final class MemorySecrets: SecretStorage, @unchecked Sendable {
  private let lock = NSLock()
  private var secrets: [String: Secret] = [:]
  private var failing = false
  private(set) var log: [String] = []

  var isFailing: Bool {
    get { lock.withLock { failing } }
    set { lock.withLock { failing = newValue } }
  }

  func read(_ name: String) throws -> Secret? { try held { secrets[name] } }
  func write(_ name: String, _ secret: Secret) throws { try held { secrets[name] = Secret(copying: secret) } }
  func delete(_ name: String) throws {
    try held {
      log.append(name)
      secrets[name] = nil
    }
  }
  func names() throws -> [String] { try held { secrets.keys.sorted() } }

  private func held<Result>(_ body: () throws -> Result) throws -> Result {
    try lock.withLock {
      if failing { throw SvcError(.storageFailed, "the fake fails") }
      return try body()
    }
  }
}

/// A folder that goes with the test.
final class TemporaryFolder {
  let folder: DeviceFolder
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    folder = try DeviceFolder(at: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A page that a test plays.
@MainActor
final class FakePage: PageHost {
  var onText: (String) -> Void = { _ in }
  private(set) var loads = 0
  private(set) var isLoaded = false
  var onLoad: () -> Void = {}

  func load() {
    loads += 1
    isLoaded = true
    onLoad()
  }
  func unload() { isLoaded = false }
  func deliver(_ text: String) { onText(text) }
}

extension PageServices {
  static func fake(secrets: MemorySecrets = MemorySecrets(), folder: DeviceFolder) throws -> PageServices {
    PageServices(
      keys: KeyStore(storage: secrets, cryptography: TestCryptography()), packs: try PackStore(folder: folder),
      transport: Transport(), eraseGuard: EraseGuard(folder: folder, storage: secrets),
      requestCamera: { .granted })
  }
}

/// The contract's vectors, which every shell replays.
enum Vectors {
  static func read<Vectors: Decodable>(_ name: String, as _: Vectors.Type = Vectors.self) throws -> Vectors {
    try JSONDecoder.ofContract.decode(Vectors.self, from: content(name))
  }

  static func content(_ name: String) throws -> Data {
    // ios/Tests/SvcDeviceTests/Fakes.swift
    let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try Data(contentsOf: package.appendingPathComponent("contract/vectors/\(name).json"))
  }
}

func bytes(_ text: String) throws -> Data { try XCTUnwrap(Base64URL.decode(text)) }

func assertThrows(
  _ code: FailureCode, line: UInt = #line, _ body: () async throws -> some Any
) async {
  do {
    _ = try await body()
    XCTFail("did not throw \(code)", line: line)
  } catch {
    XCTAssertEqual((error as? SvcError)?.code, code, line: line)
  }
}
