import Foundation

/// The page's transfers, whose addresses and headers the contract's type has checked.
actor Transport {
  private enum Transfer {
    case connecting(Task<HTTPExchange, any Error>)
    case open(HTTPExchange)
  }

  private var transfers: [Int: Transfer] = [:]

  /// - Throws: `offline` without an answer, `cancelled`, `message-invalid` for a number that is in use, for a GET with a body.
  func begin(_ request: TransportBeginRequest) async throws -> TransportBeginAnswer {
    let number = request.transfer
    guard transfers[number] == nil else { throw SvcError(.messageInvalid, "the transfer was begun already") }
    guard let url = URL(string: request.url), request.body == nil || request.method == .post else {
      throw SvcError(.messageInvalid, "the address is no URL, or a GET has a body")
    }
    let connecting = Task { try await HTTPExchange.begin(request, at: url) }
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
      return TransportReadAnswer(chunk: chunk ?? Data(), done: chunk == nil)
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
