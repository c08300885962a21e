import Foundation
import XCTest

@testable import SvcDevice

/// The stores over real files and secrets in memory.
final class StoreTests: XCTestCase {
  // MARK: Packs

  func testLeavesNothingOfAnUploadThatEnds() async throws {
    let folder = try TemporaryFolder()
    let store = try PackStore(folder: folder.folder)
    try await store.abandonPack(store.beginPack(1))
    _ = try await store.beginPack(1)
    await store.releaseAll()
    // Of a process that was killed.
    _ = try await store.beginPack(1)
    _ = try PackStore(folder: folder.folder)
    let uploads = try FileManager.default.contentsOfDirectory(atPath: folder.folder.folder("uploads").path)
    XCTAssertEqual(uploads, [])
  }

  // MARK: Keys

  func testTakesListKeysWholeOrNotAtAll() throws {
    let key = Secret.random(count: 32)
    let keys = try ListKeys(epochs: [(epoch: 7, key: key), (epoch: 4, key: key)], checkInSecret: key)
    let stored = try ListKeys(stored: keys.encoded)
    XCTAssertEqual(stored.epochs, [7, 4])
    XCTAssertEqual(stored.key(of: 4)?.data, key.data)
    XCTAssertNil(stored.key(of: 0))
    XCTAssertEqual(stored.checkInSecret?.data, key.data)
    for wrong in [[(7, 32), (7, 32)], [(7, 31)], [(0, 32)], [(1 << 32, 32)]] {
      XCTAssertThrowsError(
        try ListKeys(epochs: wrong.map { (epoch: $0.0, key: Secret.random(count: $0.1)) }, checkInSecret: nil))
    }
    XCTAssertThrowsError(try ListKeys(stored: key))
  }

  // MARK: The guard

  private func guarded(_ folder: TemporaryFolder, _ secrets: MemorySecrets) async throws -> (EraseGuard, PackStore) {
    try secrets.write(SecretName.listKeys(1), Secret.random(count: 36))
    try secrets.write(SecretName.admissionKey, Secret.random(count: 32))
    try secrets.write(SecretName.macKey, Secret.random(count: 32))
    let packs = try PackStore(folder: folder.folder)
    let upload = try await packs.beginPack(1)
    try await packs.commitPack(upload)
    _ = try await packs.beginPack(2)
    try await packs.writePage(1, Data([1]))
    return (EraseGuard(folder: folder.folder, storage: secrets), packs)
  }

  func testErasesAtItsTimeAndNotBefore() async throws {
    let (folder, secrets) = (try TemporaryFolder(), MemorySecrets())
    let (guardian, packs) = try await guarded(folder, secrets)
    XCTAssertFalse(try guardian.eraseIfDue())
    try guardian.set(5_000)
    XCTAssertFalse(try guardian.eraseIfDue(now: Date(timeIntervalSince1970: 4.999)))
    XCTAssertEqual(try secrets.names().count, 3)
    // Another process carries it out.
    let later = EraseGuard(folder: folder.folder, storage: secrets)
    XCTAssertTrue(try later.eraseIfDue(now: Date(timeIntervalSince1970: 5)))
    XCTAssertEqual(try secrets.names(), [SecretName.macKey])
    let (left, pages) = (try await packs.listPacks(), try await packs.listPages())
    XCTAssertEqual(left + pages + (try folder.folder.numbers(in: folder.folder.folder("uploads"))), [])
    XCTAssertFalse(try later.eraseIfDue(now: Date(timeIntervalSince1970: 6)))
  }

  func testErasesKeysFirstAndTriesAgain() async throws {
    let (folder, secrets) = (try TemporaryFolder(), MemorySecrets())
    let (guardian, packs) = try await guarded(folder, secrets)
    try guardian.set(-1)
    secrets.isFailing = true
    await assertThrows(.storageFailed) { try guardian.eraseIfDue() }
    let kept = try await packs.listPacks()
    XCTAssertEqual(kept, [1], "packs outlive keys that are still there")
    secrets.isFailing = false
    XCTAssertTrue(try guardian.eraseIfDue())
    let gone = try await packs.listPacks()
    XCTAssertEqual(gone, [])
  }

  func testErasesWhatNobodyDates() async throws {
    let (folder, secrets) = (try TemporaryFolder(), MemorySecrets())
    let (guardian, _) = try await guarded(folder, secrets)
    try guardian.set(Int(Date().timeIntervalSince1970 * 1_000) + 60_000)
    XCTAssertFalse(try guardian.eraseIfDue())
    try folder.folder.replace(folder.folder.file("erase-at"), with: Data("soon".utf8))
    XCTAssertTrue(try guardian.eraseIfDue())
    try guardian.set(nil)
    XCTAssertNil(try guardian.eraseAtMs())
  }

  func testSetsTheTimeFromAnywhereAtOnce() async throws {
    let (folder, secrets) = (try TemporaryFolder(), MemorySecrets())
    let guardian = EraseGuard(folder: folder.folder, storage: secrets)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<64 {
        group.addTask { try guardian.set(index % 8 == 0 ? nil : Int.max) }
        group.addTask { try guardian.eraseIfDue() }
      }
      try await group.waitForAll()
    }
    try guardian.set(5)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.folder.url.path), ["erase-at"])
  }

  func testProtectsAFolderThatAnEarlierProcessHasMade() throws {
    let folder = try TemporaryFolder()
    var protected: [URL] = []
    let again = try DeviceFolder(at: folder.folder.url) { protected.append($0) }
    XCTAssertEqual(protected, [again.url])
  }

  // MARK: Assets

  func testServesWhatTheManifestListsWithItsPolicy() throws {
    let folder = try TemporaryFolder()
    let manifest = """
      { "format": 1, "files": [
        { "path": "index.html", "headers": {
          "content-type": "text/html; charset=utf-8", "content-security-policy": "script-src 'unsafe-eval'" } },
        { "path": "engine-worker.js", "headers": { "content-security-policy": "script-src 'wasm-unsafe-eval'" } },
        { "path": "core/core.wasm", "headers": { "content-type": "application/wasm" } }] }
      """
    try Data(manifest.utf8).write(to: folder.folder.file("assets.json"))
    try Data("secret".utf8).write(to: folder.folder.file("secret.txt"))
    let assets = Assets(folder: folder.folder.url)
    let mediaType = { (url: String) in assets.asset(at: URL(string: url))?.mediaType }
    XCTAssertEqual(mediaType("svc-device://localhost/index.html"), "text/html; charset=utf-8")
    XCTAssertEqual(mediaType("svc-device://localhost/core/core.wasm"), "application/wasm")
    for other in [
      "https://localhost/index.html", "svc-device://elsewhere/index.html", "svc-device://localhost:1/index.html",
      "svc-device://user@localhost/index.html", "svc-device://localhost/", "svc-device://localhost",
      "svc-device://localhost/secret.txt", "svc-device://localhost/core/../secret.txt",
      "svc-device://localhost/..%2fsecret.txt", "svc-device://localhost//index.html", "file:///etc/passwd",
    ] {
      XCTAssertNil(mediaType(other), other)
    }
    func policy(_ name: String, isNew: Bool = true) throws -> String? {
      let asset = try XCTUnwrap(assets.asset(at: URL(string: "svc-device://localhost/\(name)")))
      return Assets.headers(for: asset, byteLength: 1, knowsWasmUnsafeEval: isNew)["Content-Security-Policy"]
    }
    XCTAssertEqual(try policy("engine-worker.js"), "script-src 'wasm-unsafe-eval'")
    XCTAssertEqual(try policy("engine-worker.js", isNew: false), "script-src 'unsafe-eval'")
    // A document has the shell's own.
    XCTAssertEqual(try policy("index.html"), try policy("core/core.wasm"))
  }

  func testForbidsEverythingButItself() throws {
    let asset = Assets.Asset(file: URL(fileURLWithPath: "/x"), mediaType: "text/html")
    let policy = { (isNew: Bool) in
      Assets.headers(for: asset, byteLength: 1, knowsWasmUnsafeEval: isNew)["Content-Security-Policy"] ?? ""
    }
    XCTAssertTrue(policy(true).hasPrefix("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"))
    XCTAssertFalse(policy(true).contains("'unsafe-eval'"))
    XCTAssertFalse(policy(true).contains("http"))
    XCTAssertTrue(policy(false).contains("; child-src 'self'; frame-src 'none';"), "WebKit before 15.5")
    XCTAssertTrue(policy(false).contains("script-src 'self' 'unsafe-eval';"))
    XCTAssertNotNil(try JSONSerialization.jsonObject(with: Data(Assets.rules.utf8)) as? [[String: Any]])
  }
}
