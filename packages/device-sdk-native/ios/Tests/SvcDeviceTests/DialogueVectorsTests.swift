import Foundation
import XCTest

@testable import SvcDevice

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
