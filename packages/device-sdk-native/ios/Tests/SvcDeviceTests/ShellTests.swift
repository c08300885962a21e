import Foundation
import XCTest

@testable import SvcDevice

/// The shell with a page that a test plays: late, silent, gone, hostile.
final class ShellTests: XCTestCase {
  func testStartsVerifiesAndTellsTheStatus() async throws {
    let door = try await Door()
    try await door.shell.start()
    XCTAssertEqual(door.names, ["configure", "start"])
    let result = await door.shell.verify("ticket", headTurn: .asked)
    XCTAssertEqual(result.outcome, .match)
    let latest = await door.shell.statuses.latest
    XCTAssertEqual(latest?.people, 3)
    let sync = try await door.shell.sync()
    XCTAssertEqual(sync.reason, .offline)
    await door.shell.dispose()
    let after = await door.shell.verify("ticket", headTurn: .asked)
    XCTAssertEqual([after.outcome.rawValue, after.reason.rawValue], ["NoFace", "disposed"])
    await assertThrows(.disposed) { try await door.shell.start() }
  }

  func testGivesNoResultThatThePageDidNotGive() async throws {
    let hostile: [(String, Door.Verify)] = [
      ("engine-failed", .answer(["outcome": "Match", "reason": "cancelled"])),
      ("engine-failed", .answer(["outcome": "Match", "reason": "verified", "admission": NSNull()])),
      ("engine-failed", .answer(["outcome": "NoFace", "reason": "verified"])),
      ("engine-failed", .answer(["outcome": "Welcome"])),
      ("engine-failed", .silence),
      ("engine-failed", .death),
      ("engine-failed", .reload),
      ("cancelled", .failure("cancelled")),
      ("camera-denied", .failure("camera-denied")),
      ("attempt-in-progress", .failure("busy")),
      ("engine-failed", .failure("runtime-failed")),
    ]
    for (reason, behaviour) in hostile {
      let door = try await Door()
      try await door.shell.start()
      door.verify = behaviour
      let result = await door.shell.verify("ticket", headTurn: .asked)
      XCTAssertEqual([result.outcome.rawValue, result.reason.rawValue], ["NoFace", reason], "\(behaviour)")
      await door.shell.dispose()
    }
  }

  func testRunsOneAttemptAndCancelsIt() async throws {
    let door = try await Door()
    try await door.shell.start()
    door.verify = .untilCancelled
    async let first = door.shell.verify("ticket", headTurn: .asked)
    try await door.until { $0.contains("verify") }
    let second = await door.shell.verify("other", headTurn: .asked)
    XCTAssertEqual(second.reason, .attemptInProgress)
    await door.shell.cancel()
    let result = await first
    XCTAssertEqual(result.reason, .cancelled)

    door.verify = .silence
    let task = Task { await door.shell.verify("ticket", headTurn: .asked) }
    try await door.until { names in names.filter { $0 == "verify" }.count == 2 }
    task.cancel()
    let cancelled = await task.value
    XCTAssertEqual(cancelled.reason, .cancelled)
  }

  func testLoadsAPageAgainThatDied() async throws {
    let door = try await Door()
    try await door.shell.start()
    await door.shell.pageDied()
    // An attempt waits for it.
    let result = await door.shell.verify("ticket", headTurn: .asked)
    XCTAssertEqual(result.outcome, .match)
    XCTAssertEqual(door.names.filter { $0 == "start" }.count, 2)
    for _ in 0..<6 { await door.shell.pageDied() }
    await assertThrows(.rendererGone) { try await door.shell.sync() }
    try await door.shell.start()
    let again = await door.shell.verify("ticket", headTurn: .asked)
    XCTAssertEqual(again.outcome, .match)
  }

  func testSaysWhyItDoesNotStart() async throws {
    for code in ["webassembly-missing", "webview-too-old", "too-slow"] {
      let door = try await Door()
      door.fault = code
      await assertThrows(try XCTUnwrap(FailureCode(rawValue: code))) { try await door.shell.start() }
    }
    let refused = try await Door()
    refused.configureFailure = "configuration-invalid"
    await assertThrows(.configurationInvalid) { try await refused.shell.start() }
    let silent = try await Door()
    silent.isSilent = true
    await assertThrows(.timeout) { try await silent.shell.start() }
    await assertThrows(.timeout) { try await silent.shell.sync() }
    let result = await silent.shell.verify("ticket", headTurn: .asked)
    XCTAssertEqual([result.outcome.rawValue, result.reason.rawValue], ["NoFace", "engine-failed"])
  }

  func testErasesBeforeThePageIsLoaded() async throws {
    let door = try await Door()
    try door.secrets.write(SecretName.listKeys(1), Secret.random(count: 36))
    try door.services.eraseGuard.set(1)
    door.onLoad = { [secrets = door.secrets] in XCTAssertEqual(try secrets.names(), []) }
    try await door.shell.start()
    let first = await door.loads
    XCTAssertEqual(first, 1)

    // And at each wake; the page is loaded again, because it holds what is gone.
    await door.shell.enterBackground()
    try door.secrets.write(SecretName.listKeys(2), Secret.random(count: 36))
    try door.services.eraseGuard.set(1)
    await door.shell.enterForeground()
    XCTAssertEqual(try door.secrets.names(), [])
    try await door.until { names in names.filter { $0 == "start" }.count == 2 }
    let second = await door.loads
    XCTAssertEqual(second, 2)
  }

  func testTellsThePageWhereTheAppIs() async throws {
    let door = try await Door()
    try await door.shell.start()
    door.verify = .silence
    async let attempt = door.shell.verify("ticket", headTurn: .asked)
    try await door.until { $0.contains("verify") }
    await door.shell.enterBackground()
    try await door.until { $0.contains("lifecycle") }
    let result = await attempt
    XCTAssertEqual(result.reason, .cancelled)
    let hidden = await door.shell.verify("ticket", headTurn: .asked)
    XCTAssertEqual(hidden.outcome, .noFace)
  }

  func testLoadsThePageInTheForegroundAlone() async throws {
    let door = try await Door()
    door.isSilent = true
    await door.shell.enterBackground()
    let starting = Task { try await door.shell.start() }
    try await Task.sleep(nanoseconds: 50_000_000)
    let before = await door.loads
    XCTAssertEqual(before, 0)
    await door.shell.enterForeground()
    let waiting = Task { await door.shell.verify("ticket", headTurn: .asked) }
    try await Task.sleep(nanoseconds: 50_000_000)
    await door.shell.enterBackground()
    let attempt = await waiting.value
    XCTAssertEqual(attempt.reason, .cancelled)
    // Longer than a page has time to greet in the foreground.
    try await Task.sleep(nanoseconds: 400_000_000)
    door.isSilent = false
    await door.shell.enterForeground()
    try await starting.value
    let loads = await door.loads
    XCTAssertEqual(loads, 2)
  }

  func testEndsThePageWhoseDataWasErasedInTheBackground() async throws {
    let door = try await Door()
    try await door.shell.start()
    await door.shell.enterBackground()
    await door.shell.dataErased()
    let isLoaded = await door.isLoaded
    XCTAssertFalse(isLoaded)
    await door.shell.enterForeground()
    let result = await door.shell.verify("ticket", headTurn: .asked)
    XCTAssertEqual(result.outcome, .match)
  }

  func testDoesNothingForAPageThatIsGone() async throws {
    let door = try await Door()
    try await door.shell.start()
    // It would make a key, which outlives `forget`.
    await door.asksAndDies("keyStore.mac", ["message": "AA"])
    try await door.shell.start()
    await door.shell.dispose()
    try await Task.sleep(nanoseconds: 50_000_000)
    XCTAssertEqual(try door.secrets.names(), [])
  }
}

/// A shell and the page that it talks to.
private final class Door: @unchecked Sendable {
  enum Verify {
    case answer([String: Any])
    case failure(String)
    case silence, untilCancelled, death, reload
  }

  let secrets = MemorySecrets()
  let services: PageServices
  let shell: Shell
  private let folder: TemporaryFolder
  private let page: FakePage
  private let lock = NSLock()
  private var received: [String] = []

  // Set between awaits of a test, read on the main actor.
  var verify = Verify.answer(["outcome": "Match", "reason": "verified"])
  var fault: String?
  var configureFailure: String?
  var isSilent = false
  var onLoad: () throws -> Void = {}

  private var session = ""
  private var waitingVerify: Int?

  @MainActor
  init() async throws {
    folder = try TemporaryFolder()
    services = try PageServices.fake(secrets: secrets, folder: folder.folder)
    page = FakePage()
    var patience = Patience()
    patience.hello = 0.3
    patience.attempt = 0.5
    patience.cancellation = 0.2
    let configuration = ConfigureRequest(
      minor: 0, deviceToken: "token", region: Region(name: .eu), passiveLiveness: .required, lightChallenge: .off,
      prompts: .page, camera: .user, shell: ShellInfo(platform: .test, version: "0", osVersion: "0"))
    shell = Shell(page: page, services: services, configuration: configuration, patience: patience)
    page.onLoad = { [weak self] in self?.loaded() }
    page.onText = { [weak self] in self?.take($0) }
  }

  var names: [String] { lock.withLock { received } }
  @MainActor var loads: Int { page.loads }
  @MainActor var isLoaded: Bool { page.isLoaded }

  @MainActor func asksAndDies(_ name: String, _ body: [String: Any]) {
    say("request", name, id: 1, body)
    shell.pageDied()
  }

  func until(_ isThere: ([String]) -> Bool) async throws {
    for _ in 0..<500 where !isThere(names) { try await Task.sleep(nanoseconds: 10_000_000) }
    XCTAssertTrue(isThere(names), "\(names)")
  }

  @MainActor private func loaded() {
    XCTAssertNoThrow(try onLoad())
    if isSilent { return }
    session = Base64URL.encode(Secret.random(count: 16).data)
    let session = session
    Task {
      say("event", "hello", ["minor": 0, "sdkVersion": "1", "session": session])
      if let fault { say("event", "fault", ["code": fault, "message": "why"]) }
    }
  }

  @MainActor private func say(_ kind: String, _ name: String, id: Int? = nil, _ body: [String: Any]) {
    var message: [String: Any] = ["v": 1, "session": session, "kind": kind, "name": name, "body": body]
    message["id"] = id
    guard let data = try? JSONSerialization.data(withJSONObject: message) else { return XCTFail("no JSON") }
    shell.receive(String(decoding: data, as: UTF8.self))
  }

  @MainActor private func take(_ text: String) {
    guard let message = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let name = message["name"] as? String, let id = message["id"] as? Int, message["kind"] as? String == "request"
    else { return }
    lock.withLock { received.append(name) }
    // A page never answers while the shell still sends.
    Task { answer(name, id) }
  }

  @MainActor private func answer(_ name: String, _ id: Int) {
    switch name {
    case "configure":
      if let configureFailure { return say("failure", name, id: id, ["code": configureFailure, "message": "why"]) }
      say("answer", name, id: id, Self.least(name, "status", ["people": 3]))
    case "sync": say("answer", name, id: id, ["result": ["ok": false, "reason": "offline"]])
    case "verify":
      switch verify {
      case .answer(let result): say("answer", name, id: id, Self.least(name, "result", result))
      case .failure(let code): say("failure", name, id: id, ["code": code, "message": "why"])
      case .untilCancelled: waitingVerify = id
      case .death: shell.pageDied()
      case .reload: loaded()
      case .silence: break
      }
    case "cancel":
      say("answer", name, id: id, [:])
      if let waitingVerify { say("failure", "verify", id: waitingVerify, ["code": "cancelled", "message": "why"]) }
      waitingVerify = nil
    default: say("answer", name, id: id, [:])
    }
  }

  @MainActor private static let vectors =
    (try? JSONSerialization.jsonObject(with: Vectors.content("messages")) as? [String: Any])?["vectors"]
    as? [[String: Any]] ?? []

  /// The body of a page's answer with the least members, those of its one member changed.
  @MainActor private static func least(_ name: String, _ member: String, _ changes: [String: Any]) -> [String: Any] {
    let vector = vectors.first { $0["name"] as? String == "PageAnswer \(name): least" }
    let body = (vector?["message"] as? [String: Any])?["body"] as? [String: [String: Any]]
    return [member: (body?[member] ?? [:]).merging(changes) { _, new in new }]
  }
}
