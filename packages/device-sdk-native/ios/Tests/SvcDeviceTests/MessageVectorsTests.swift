import Foundation
import XCTest

@testable import SvcDevice

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
    // The shell takes prompts of the running attempt alone, whose name it drew itself.
    case "prompt":
      (try? message.body(PromptEvent.self, nullable: "prompt")).flatMap { Base64URL.decode($0.attempt)?.count } == 16
    case "fault": (try? message.body(Failure.self)) != nil
    default: false
    }
  }

  private func isAnswer(_ message: Message) -> Bool {
    switch message.name {
    case "configure", "status": (try? message.body(StatusBody.self)) != nil
    case "sync": (try? message.body(SyncAnswer.self))?.result.isOneForm == true
    case "verify": (try? message.body(VerifyAnswer.self))?.result.isOneForm == true
    case "takeBackAdmission": (try? message.body(TakeBackAnswer.self)) != nil
    default: (try? message.body(Empty.self)) != nil
    }
  }
}
