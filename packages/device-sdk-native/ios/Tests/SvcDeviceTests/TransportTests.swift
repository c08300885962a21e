import Foundation
import XCTest

@testable import SvcDevice

#if os(Linux)
  import Glibc
#endif

final class TransportTests: XCTestCase {
  private func request(
    _ url: String, method: HttpMethod = .get, headers: [String: String] = [:], body: String? = nil
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

#if os(Linux)
  /// The client over a real connection to a server of this process.
  final class URLSessionClientTests: XCTestCase {
    private func get(_ path: String, from server: LocalServer) throws -> TransportRequest {
      try TransportRequest(
        TransportBeginRequest(
          transfer: 1, method: .get, url: "http://127.0.0.1:\(server.port)\(path)", headers: ["x-asked": "yes"]))
    }

    func testStreamsALongBodyInOrder() async throws {
      let server = try LocalServer()
      let exchange = try await URLSessionClient().send(get("/long", from: server))
      XCTAssertEqual(exchange.status, 200)
      XCTAssertEqual(exchange.contentType, "application/x-pack")
      XCTAssertEqual(exchange.contentLength, LocalServer.long.count)
      var body = Data()
      while let chunk = try await exchange.next(atMost: 196_608) {
        XCTAssertLessThanOrEqual(chunk.count, 196_608)
        body.append(chunk)
      }
      XCTAssertEqual(body, LocalServer.long)
    }

    func testAnswersAnyStatusButFollowsNoRedirect() async throws {
      let server = try LocalServer()
      let refused = try await URLSessionClient().send(get("/refused", from: server))
      XCTAssertEqual(refused.status, 401)
      let transport = Transport(client: URLSessionClient())
      await assertThrows(.offline) { try await transport.begin(1, self.get("/redirect", from: server)) }
      XCTAssertFalse(server.requests.contains { $0.hasPrefix("GET /target") })
    }

    func testKeepsNoCookie() async throws {
      let server = try LocalServer()
      for _ in 0..<2 { _ = try await URLSessionClient().send(get("/cookie", from: server)) }
      XCTAssertEqual(server.requests.count, 2)
      for request in server.requests {
        XCTAssertTrue(request.lowercased().contains("x-asked: yes"))
        XCTAssertFalse(request.lowercased().contains("\ncookie:"))
      }
    }

    func testEndsWhereNobodyListens() async throws {
      let server = try LocalServer()
      let request = try get("/", from: server)
      server.stop()
      let transport = Transport(client: URLSessionClient())
      await assertThrows(.offline) { try await transport.begin(1, request) }
    }
  }

  /// One request a connection.
  private final class LocalServer: @unchecked Sendable {
    static let long = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var received: [String] = []
    private var isStopped = false

    var requests: [String] { lock.withLock { received } }

    init() throws {
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let listener = listener
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, length) == 0 && listen(listener, 8) == 0
            && getsockname(listener, address, &length) == 0
        }
      }
      XCTAssertTrue(isBound)
      port = UInt16(bigEndian: address.sin_port)
      Thread.detachNewThread { [weak self] in
        while case let connection = accept(listener, nil, nil), connection >= 0 { self?.serve(connection) }
      }
    }

    deinit { stop() }

    func stop() {
      // The number may be another socket's by now.
      if isStopped { return }
      isStopped = true
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }

    private func serve(_ connection: Int32) {
      defer { close(connection) }
      var bytes = [UInt8](repeating: 0, count: 8_192)
      let count = recv(connection, &bytes, bytes.count, 0)
      guard count > 0 else { return }
      let request = String(decoding: bytes.prefix(count), as: UTF8.self)
      lock.withLock { received.append(request) }
      var (status, extra, body) = ("200 OK", "", Data("hello".utf8))
      switch request.split(separator: " ")[1] {
      case "/long": body = Self.long
      case "/refused": status = "401 Unauthorized"
      case "/redirect": (status, extra) = ("302 Found", "Location: http://127.0.0.1:\(port)/target\r\n")
      default: extra = "Set-Cookie: a=b; Path=/\r\n"
      }
      let head =
        "HTTP/1.1 \(status)\r\nContent-Type: application/x-pack\r\nContent-Length: \(body.count)\r\n\(extra)"
        + "Connection: close\r\n\r\n"
      let answer = Array(Data(head.utf8) + body)
      var sent = 0
      while sent < answer.count {
        let more = answer[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if more <= 0 { return }
        sent += more
      }
    }
  }
#endif
