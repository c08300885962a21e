import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A checked HTTP request of the page.
struct TransportRequest: Sendable {
  let url: URL
  let method: HttpMethod
  let headers: [String: String]
  let body: Data?

  /// - Throws: `message-invalid` for another address than https, or http on this machine, and for a GET with a body.
  init(_ request: TransportBeginRequest) throws {
    func check(_ isValid: Bool, _ what: String) throws {
      if !isValid { throw SvcError(.messageInvalid, what) }
    }
    guard let parts = URLComponents(string: request.url), let url = parts.url, request.url.utf8.count <= 8_192 else {
      throw SvcError(.messageInvalid, "the address is no URL")
    }
    let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(parts.host ?? "")
    try check(parts.scheme == "https" || parts.scheme == "http" && isLocal, "the address is not https")
    try check(parts.host?.isEmpty == false, "the address has no host")
    try check(parts.user == nil && parts.password == nil && parts.fragment == nil, "the address has a user or fragment")
    try check(request.headers.count <= 32, "too many headers")
    for (name, value) in request.headers {
      let isName = name.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || byte == UInt8(ascii: "-")
      }
      let isValue = value.utf8.count <= 8_192 && value.utf8.allSatisfy { 0x20...0x7e ~= $0 }
      try check(isName && 1...64 ~= name.utf8.count && isValue, "a header is malformed")
    }
    try check(request.body == nil || request.method == .post, "a GET has no body")
    self.url = url
    method = request.method
    headers = request.headers
    body = try request.body.map { try PageRequest.bytes($0, atMost: MessageLimit.chunkBytes) }
  }
}

/// An answer whose body is pulled.
protocol HTTPExchange: Sendable {
  var status: Int { get }
  /// As sent, with parameters; empty if not given.
  var contentType: String { get }
  /// As announced; nil if not given.
  var contentLength: Int? { get }
  /// The next bytes, `limit` at most; nil at the end.
  func next(atMost limit: Int) async throws -> Data?
  func cancel()
}

/// Sends one request. Follows no redirect, sends and keeps no cookie, caches nothing.
protocol HTTPClient: Sendable {
  /// - Throws: any error without an answer; also when the task is cancelled.
  func send(_ request: TransportRequest) async throws -> any HTTPExchange
}

/// The page's transfers.
actor Transport {
  private enum Transfer {
    case connecting(Task<any HTTPExchange, any Error>)
    case open(any HTTPExchange)
  }

  private let client: any HTTPClient
  private var transfers: [Int: Transfer] = [:]

  init(client: any HTTPClient) {
    self.client = client
  }

  /// - Throws: `offline` without an answer, `cancelled`, `message-invalid` for a number that is in use.
  func begin(_ number: Int, _ request: TransportRequest) async throws -> TransportBeginAnswer {
    guard transfers[number] == nil else { throw SvcError(.messageInvalid, "the transfer was begun already") }
    let connecting = Task { [client] in try await client.send(request) }
    transfers[number] = .connecting(connecting)
    let result = await connecting.result
    // Cancelled meanwhile; the number may be another transfer's by now.
    guard case .connecting(connecting) = transfers[number] else {
      if case .success(let exchange) = result { exchange.cancel() }
      throw SvcError(.cancelled, "the transfer was cancelled")
    }
    guard case .success(let exchange) = result else {
      transfers[number] = nil
      throw SvcError(.offline, "no answer")
    }
    transfers[number] = .open(exchange)
    let mediaType = exchange.contentType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    return TransportBeginAnswer(
      status: exchange.status, mediaType: String(mediaType.prefix(256)), contentLength: exchange.contentLength)
  }

  /// - Throws: `offline` if the connection breaks, `cancelled` for a transfer that is not open.
  func read(_ number: Int) async throws -> TransportReadAnswer {
    guard case .open(let exchange) = transfers[number] else {
      throw SvcError(.cancelled, "the transfer is not open")
    }
    do {
      let chunk = try await exchange.next(atMost: MessageLimit.chunkBytes)
      if chunk == nil { transfers[number] = nil }
      return TransportReadAnswer(chunk: Base64URL.encode(chunk ?? Data()), done: chunk == nil)
    } catch {
      transfers[number] = nil
      exchange.cancel()
      throw SvcError(.offline, "the connection broke")
    }
  }

  /// Idempotent.
  func cancel(_ number: Int) {
    switch transfers.removeValue(forKey: number) {
    case .connecting(let task): task.cancel()
    case .open(let exchange): exchange.cancel()
    case nil: break
    }
  }

  /// Of a page that is gone.
  func cancelAll() {
    for number in Array(transfers.keys) { cancel(number) }
  }
}
