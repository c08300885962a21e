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
        let sealed = SealedSecret(
          enc: try bytes(vector.enc), ciphertext: try bytes(vector.ciphertext), info: try bytes(vector.info))
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
    try requestOf(writeMessage(.request, name, id: 1, session: anySession, body: body))
  }
}

private let anySession = Base64URL.encode(Data(count: 16))

private func requestOf(_ text: String) throws -> Message {
  guard case .request(let message, _) = readMessage(text, session: anySession, highestID: 0) else {
    throw SvcError(.messageInvalid, "not a request")
  }
  return message
}

/// `contract/vectors/stores.json`: what real stores answer.
final class StoreVectorsTests: XCTestCase {
  private typealias Object = [String: Any]

  func testAnswersAsTheContractSays() async throws {
    let file = try XCTUnwrap(JSONSerialization.jsonObject(with: Vectors.content("stores")) as? Object)
    for vector in try XCTUnwrap(file["stores"] as? [Object]) { try await play(vector) }
  }

  private func play(_ vector: Object) async throws {
    let (folder, secrets) = (try TemporaryFolder(), MemorySecrets())
    var services = try PageServices.fake(secrets: secrets, folder: folder.folder)
    var last: Object = [:]
    var before: [String: NSDictionary] = [:]
    for (number, step) in try XCTUnwrap(vector["steps"] as? [Any]).enumerated() {
      guard let step = step as? [Any] else {
        services = try PageServices.fake(secrets: secrets, folder: folder.folder)
        continue
      }
      let name = try XCTUnwrap(step[0] as? String)
      let asked = try XCTUnwrap(step[1] as? Object)
      // Other members of a body are ignored.
      let body = asked.merging(last) { told, held in told as? String == "last" ? held : told }
      let envelope: Object = ["v": 1, "session": anySession, "kind": "request", "id": 1, "name": name, "body": body]
      let text = String(decoding: try JSONSerialization.data(withJSONObject: envelope), as: UTF8.self)
      let answer = try? await PageRequest(requestOf(text)).carryOut(with: services)
      var told = try answer.map { try JSONSerialization.jsonObject(with: JSONEncoder.ofContract.encode($0)) } as? Object
      if var pack = told?["pack"] as? Object {
        last["handle"] = pack.updateValue("last", forKey: "handle")
        told?["pack"] = pack
      }
      if told?["upload"] != nil { last["upload"] = told?.updateValue("last", forKey: "upload") }
      let place = "\(vector["name"] ?? ""), step \(number)"
      switch step.count > 2 ? step[2] : nil {
      case nil: break
      case "same" as String: XCTAssertEqual(told as NSDictionary?, before[name], place)
      case "other" as String: XCTAssertNotEqual(told as NSDictionary?, before[name], place)
      case let expected?: XCTAssertEqual(told as NSDictionary?, (expected as? Object) as NSDictionary?, place)
      }
      before[name] = told as NSDictionary?
    }
  }
}

/// `contract/vectors/messages.json`: what the shell makes of each text of a page.
final class MessageVectorsTests: XCTestCase {
  func testReadsAsTheContractSays() throws {
    let file = try XCTUnwrap(JSONSerialization.jsonObject(with: Vectors.content("messages")) as? [String: Any])
    let session = try XCTUnwrap(file["session"] as? String)
    let vectors = try XCTUnwrap(file["vectors"] as? [[String: Any]]).filter { $0["from"] as? String == "page" }
    XCTAssertGreaterThan(vectors.count, 100)
    for vector in vectors {
      let name = try XCTUnwrap(vector["name"] as? String)
      let reading = read(try text(of: vector), session: session, highestID: vector["highestId"] as? Int ?? 0)
      let expected = [vector["reads"] as? String, vector["code"] as? String]
      XCTAssertEqual(reading, expected, name)
    }
  }

  private func text(of vector: [String: Any]) throws -> String {
    if let message = vector["message"] {
      return String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
    }
    let parts = try XCTUnwrap(vector["parts"] as? [[Any]])
    return parts.map { String(repeating: $0[0] as? String ?? "", count: $0[1] as? Int ?? 0) }.joined()
  }

  private func read(_ text: String, session: String, highestID: Int) -> [String?] {
    switch readMessage(text, session: session, highestID: highestID) {
    case .hello: return ["event", nil]
    case .event(let message): return [isEvent(message) ? "event" : "dropped", nil]
    case .request(let message, _):
      do {
        _ = try PageRequest(message)
        return ["request", nil]
      } catch {
        return ["refused", (error as? SvcError)?.code.rawValue]
      }
    case .refused(let code, _, _): return ["refused", code.rawValue]
    case .answer(let message, _): return [isAnswer(message) ? "answer" : "invalid-answer", nil]
    case .failure(let error, _, _): return [error.code == .messageInvalid ? "invalid-answer" : "failure", nil]
    case .dropped: return ["dropped", nil]
    }
  }

  private func isEvent(_ message: Message) -> Bool {
    switch message.name {
    case "status": (try? message.body(StatusBody.self)) != nil
    case "prompt": (try? message.body(PromptEvent.self)) != nil
    case "fault": (try? message.body(Failure.self)) != nil
    default: false
    }
  }

  private func isAnswer(_ message: Message) -> Bool {
    switch message.name {
    case "configure", "status": (try? message.body(StatusBody.self)) != nil
    case "sync": (try? message.body(SyncAnswer.self)) != nil
    case "verify": (try? message.body(VerifyAnswer.self)) != nil
    case "takeBackAdmission": (try? message.body(TakeBackAnswer.self)) != nil
    default: (try? message.body(Empty.self)) != nil
    }
  }
}

/// `contract/vectors/sessions.json`: dialogues from the shell's side.
final class DialogueVectorsTests: XCTestCase {
  func testSpeaksAsTheContractSays() async throws { try await DialoguePlayer().playAll() }
}

@MainActor
private final class DialoguePlayer {
  private typealias Object = [String: Any]

  /// Handlers that a dialogue ends later, by the order of their requests.
  private actor Handlers {
    private var waiting: [Int: CheckedContinuation<PageRequest.Answer, any Error>] = [:]
    private var count = 0

    func wait() async throws -> PageRequest.Answer {
      count += 1
      let id = count
      return try await withCheckedThrowingContinuation { waiting[id] = $0 }
    }

    func end(_ id: Int, _ result: Result<PageRequest.Answer, any Error>) async {
      while waiting[id] == nil { await Task.yield() }
      waiting.removeValue(forKey: id)?.resume(with: result)
    }
  }

  private var sent: [String] = []
  private var settled: [String: Object] = [:]

  func playAll() async throws {
    let file = try XCTUnwrap(JSONSerialization.jsonObject(with: Vectors.content("sessions")) as? Object)
    let dialogues = try XCTUnwrap(file["dialogues"] as? [Object]).filter { $0["side"] as? String == "shell" }
    XCTAssertGreaterThan(dialogues.count, 10)
    for dialogue in dialogues { try await play(dialogue) }
  }

  private func play(_ dialogue: Object) async throws {
    let name = try XCTUnwrap(dialogue["name"] as? String)
    let isLater = (dialogue["handlers"] as? Object)?["keyStore.hasDeviceKey"] as? String == "later"
    let handlers = Handlers()
    let channel = Channel(
      answer: { _ in isLater ? try await handlers.wait() : HasAnswer(has: true) }, release: {},
      deliver: { [weak self] in self?.sent.append($0) })
    for (number, step) in try XCTUnwrap(dialogue["steps"] as? [Object]).enumerated() {
      (sent, settled) = ([], [:])
      if let text = step["receive"] as? String {
        channel.receive(text)
      } else if let message = step["receive"] {
        channel.receive(String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self))
      } else if let ask = step["ask"] as? Object {
        try self.ask(channel, ask, as: XCTUnwrap(step["as"] as? String))
      } else if let handled = step["handled"] as? Object {
        let failure = (handled["failure"] as? String).flatMap(FailureCode.init(rawValue:))
        await handlers.end(
          try XCTUnwrap(handled["id"] as? Int),
          failure.map { .failure(SvcError($0, "why")) } ?? .success(HasAnswer(has: true)))
      }
      await quiet()
      let place = "\(name), step \(number + 1)"
      let sends = try (step["sends"] as? [Object] ?? []).map(comparable)
      XCTAssertEqual(try sent.map(comparable), sends, place)
      let settles = step["settles"] as? [String: Object] ?? [:]
      XCTAssertEqual(settled as NSDictionary, settles as NSDictionary, place)
    }
    channel.close(SvcError(.disposed, "the dialogue is over"))
    await quiet()
  }

  /// Everything that can run has run.
  private func quiet() async {
    for _ in 0..<200 { await Task.yield() }
    try? await Task.sleep(nanoseconds: 1_000_000)
    for _ in 0..<50 { await Task.yield() }
  }

  private func ask(_ channel: Channel, _ ask: Object, as key: String) throws {
    let name = try XCTUnwrap(ask["name"] as? String)
    let body = try JSONSerialization.data(withJSONObject: XCTUnwrap(ask["body"]))
    Task {
      do {
        let answer: any Encodable
        switch name {
        case "sync":
          let got: SyncAnswer = try await channel.request(name)
          answer = got
        case "verify":
          let request = try JSONDecoder().decode(VerifyRequest.self, from: body)
          let got: VerifyAnswer = try await channel.request(name, request)
          answer = got
        default: throw SvcError(.unknownName, "the test does not know \(name)")
        }
        settled[key] = ["answer": try JSONSerialization.jsonObject(with: JSONEncoder().encode(answer))]
      } catch {
        settled[key] = ["failure": (error as? SvcError)?.code.rawValue ?? "\(error)"]
      }
    }
  }

  /// Without the message of a failure, which is for developers.
  private func comparable(_ text: String) throws -> NSDictionary {
    try comparable(XCTUnwrap(JSONSerialization.jsonObject(with: Data(text.utf8)) as? Object))
  }

  private func comparable(_ message: Object) throws -> NSDictionary {
    var message = message
    if message["kind"] as? String == "failure", var body = message["body"] as? Object {
      body["message"] = nil
      message["body"] = body
    }
    return message as NSDictionary
  }
}
