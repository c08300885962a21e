import Foundation
import XCTest

@testable import SvcDevice

#if os(Linux)
  import Glibc
#endif

#if os(Linux)
  /// Over real connections to a server of this process.
  final class HTTPTests: XCTestCase {
    func testGivesALongBodyInOrder() async throws {
      let server = try LocalServer()
      let begun = try await server.begin(1, "/long")
      XCTAssertEqual(
        begun, TransportBeginAnswer(status: 200, mediaType: "application/x-pack", contentLength: LocalServer.long.count))
      await assertThrows(.messageInvalid) { try await server.begin(1, "/long") }
      var read: [TransportReadAnswer] = []
      while read.last?.done != true { read.append(try await server.transport.read(1)) }
      let chunks = read.map(\.chunk)
      XCTAssertLessThanOrEqual(chunks.map(\.count).max() ?? 0, 196_608)
      XCTAssertEqual(chunks.reduce(Data(), +), LocalServer.long)
      await assertThrows(.cancelled) { try await server.transport.read(1) }
    }

    func testAnswersAnyStatusButFollowsNoRedirectAndKeepsNoCookie() async throws {
      let server = try LocalServer()
      let refused = try await server.begin(1, "/refused")
      XCTAssertEqual(refused.status, 401)
      await assertThrows(.offline) { try await server.begin(2, "/redirect") }
      for number in 3...4 { _ = try await server.begin(number, "/cookie") }
      XCTAssertEqual(server.requests.count, 4, "the redirect's target was not asked")
      for request in server.requests {
        XCTAssertTrue(request.lowercased().contains("x-asked: yes"))
        XCTAssertFalse(request.lowercased().contains("\ncookie:"))
      }
      server.stop()
      await assertThrows(.offline) { try await server.begin(5, "/") }
    }

    func testIsCancelledAtAnyTimeAndApartFromTheNextOfItsNumber() async throws {
      let server = try LocalServer()
      await server.transport.cancel(9)
      let former = Task { try await server.begin(1, "/never") }
      try await Task.sleep(nanoseconds: 50_000_000)
      await server.transport.cancelAll()
      let later = Task { try await server.begin(1, "/never") }
      await assertThrows(.cancelled) { try await former.value }
      try await Task.sleep(nanoseconds: 50_000_000)
      await server.transport.cancel(1)
      await assertThrows(.cancelled) { try await later.value }
      _ = try await server.begin(3, "/")
      await server.transport.cancel(3)
      await assertThrows(.cancelled) { try await server.transport.read(3) }
    }
  }

  /// One request a connection, and transfers from it.
  private final class LocalServer: @unchecked Sendable {
    static let long = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var received: [String] = []
    private var isStopped = false

    let transport = Transport()
    var requests: [String] { lock.withLock { received } }

    func begin(_ number: Int, _ path: String) async throws -> TransportBeginAnswer {
      let request = TransportBeginRequest(
        transfer: number, method: .get, url: "http://127.0.0.1:\(port)\(path)", headers: ["x-asked": "yes"])
      return try await transport.begin(request)
    }

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
      // Until the client closes.
      case "/never": return _ = recv(connection, &bytes, bytes.count, 0)
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
