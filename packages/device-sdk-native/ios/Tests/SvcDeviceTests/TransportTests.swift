import Foundation
import XCTest

@testable import SvcDevice

final class TransportTests: XCTestCase {
  private func request(
    _ url: String, method: HTTPMethod = .get, headers: [String: String] = [:], body: String? = nil
  ) throws -> TransportRequest {
    try TransportRequest(
      TransportBeginRequest(transfer: 1, method: method, url: url, headers: headers, body: body))
  }

  func testTakesHTTPSAndThisMachineAlone() throws {
    for right in ["https://faces.example/v1", "http://127.0.0.1:3000/v1?a=b", "http://localhost/", "http://[::1]:1/"] {
      XCTAssertNoThrow(try request(right), right)
    }
    for wrong in [
      "http://faces.example/", "http://127.0.0.1.example/", "http://localhost@faces.example/", "file:///etc/passwd",
      "https://user:word@faces.example/", "https://", "https:///v1", "svc-device://localhost/", "", "javascript:1",
      "https://faces.example/#top",
    ] {
      XCTAssertThrowsError(try request(wrong), wrong)
    }
    XCTAssertThrowsError(try request("https://faces.example", body: "AA"))
    XCTAssertNoThrow(try request("https://faces.example", method: .post, body: "AA"))
    XCTAssertThrowsError(try request("https://faces.example", headers: ["a\nb": "c"]))
    XCTAssertThrowsError(try request("https://faces.example", headers: ["a": "b\r\nc: d"]))
  }

  func testGivesTheBodyInOrder() async throws {
    let transport = Transport(client: ScriptedClient())
    let begun = try await transport.begin(1, request("https://faces.example/"))
    XCTAssertEqual(begun, TransportBeginAnswer(status: 200, mediaType: "application/json", contentLength: nil))
    await assertThrows(.messageInvalid) { try await transport.begin(1, self.request("https://faces.example/")) }
    var read: [TransportReadAnswer] = []
    while read.last?.done != true { read.append(try await transport.read(1)) }
    XCTAssertEqual(try read.map { try bytes($0.chunk) }, [Data("one".utf8), Data("two".utf8), Data()])
    await assertThrows(.cancelled) { try await transport.read(1) }
  }

  func testIsCancelledAtAnyTime() async throws {
    let transport = Transport(client: ScriptedClient())
    await transport.cancel(9)
    let never = try request("https://faces.example/never")
    let connecting = Task { try await transport.begin(2, never) }
    try await Task.sleep(nanoseconds: 20_000_000)
    await transport.cancel(2)
    await assertThrows(.cancelled) { try await connecting.value }
    _ = try await transport.begin(3, request("https://faces.example/"))
    await transport.cancelAll()
    await assertThrows(.cancelled) { try await transport.read(3) }
    await assertThrows(.offline) { try await transport.begin(4, self.request("https://faces.example/offline")) }
  }

  func testKeepsATransferApartFromTheFormerOneOfItsNumber() async throws {
    let transport = Transport(client: ScriptedClient())
    let stubborn = try request("https://faces.example/stubborn")
    let former = Task { try await transport.begin(1, stubborn) }
    try await Task.sleep(nanoseconds: 20_000_000)
    await transport.cancelAll()
    let never = try request("https://faces.example/never")
    let later = Task { try await transport.begin(1, never) }
    await assertThrows(.cancelled) { try await former.value }
    await transport.cancel(1)
    await assertThrows(.cancelled) { try await later.value }
  }
}
