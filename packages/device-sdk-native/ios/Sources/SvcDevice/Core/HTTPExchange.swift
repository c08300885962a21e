import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request over URLSession, which follows no redirect, sends and keeps no cookie, and caches nothing. The body is
/// pulled; the task pauses while more than ``bufferedBytes`` wait to be read.
final class HTTPExchange: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private static let bufferedBytes = 1 << 20

  /// Set before anything is told.
  private var task: URLSessionDataTask!
  private let lock = NSLock()
  private var response: HTTPURLResponse?
  private var buffer = Data()
  private var outcome: Result<Void, any Error>?
  private var isPaused = false
  /// Counts what the task told.
  private var events = 0
  /// Resumed at the next event.
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Sends a request and waits for the head of its answer.
  /// - Throws: any error without an answer; also when the task is cancelled.
  static func begin(_ request: TransportBeginRequest, at url: URL) async throws -> HTTPExchange {
    var sent = URLRequest(url: url)
    sent.httpMethod = request.method.rawValue
    sent.httpBody = request.body
    for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
    sent.httpShouldHandleCookies = false
    let exchange = HTTPExchange(sent)
    return try await withTaskCancellationHandler {
      try await exchange.start()
      return exchange
    } onCancel: {
      exchange.cancel()
    }
  }

  private init(_ request: URLRequest) {
    super.init()
    let session = URLSession(configuration: Self.configuration, delegate: self, delegateQueue: nil)
    task = session.dataTask(with: request)
    // The session lets go of its delegate when its one task has ended.
    session.finishTasksAndInvalidate()
  }

  var status: Int { lock.withLock { response?.statusCode ?? 0 } }
  /// As sent, with parameters; empty if not given.
  var contentType: String { lock.withLock { response?.value(forHTTPHeaderField: "Content-Type") ?? "" } }
  /// As announced; nil if not given.
  var contentLength: Int? {
    lock.withLock { response.flatMap { $0.expectedContentLength >= 0 ? Int($0.expectedContentLength) : nil } }
  }

  private func start() async throws {
    task.resume()
    while true {
      let (hasResponse, outcome, events) = lock.withLock { (response != nil, self.outcome, self.events) }
      if hasResponse { return }
      if let outcome {
        try outcome.get()
        throw URLError(.badServerResponse)
      }
      await event(after: events)
    }
  }

  /// The next bytes, `limit` at most; nil at the end.
  func next(atMost limit: Int) async throws -> Data? {
    while true {
      let (chunk, outcome, events) = lock.withLock { () -> (Data, Result<Void, any Error>?, Int) in
        let chunk = Data(buffer.prefix(limit))
        buffer = Data(buffer.dropFirst(limit))
        if isPaused, buffer.count <= Self.bufferedBytes / 2 {
          isPaused = false
          task.resume()
        }
        return (chunk, self.outcome, self.events)
      }
      if !chunk.isEmpty { return chunk }
      if let outcome {
        try outcome.get()
        return nil
      }
      await event(after: events)
    }
  }

  func cancel() { task.cancel() }

  private static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return configuration
  }

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // A captive portal redirects; nothing of it is an answer. Without a new request the redirect itself would be one.
    end(URLError(.httpTooManyRedirects))
    completionHandler(nil)
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(.allow)
    // Not that of a redirect, which has ended the exchange.
    tell { if outcome == nil { self.response = response as? HTTPURLResponse } }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    tell {
      buffer.append(data)
      if !isPaused, buffer.count > Self.bufferedBytes {
        isPaused = true
        task.suspend()
      }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) { end(error) }

  /// The first end counts: after a redirect comes that of the cancelled task.
  private func end(_ error: (any Error)?) {
    tell { outcome = outcome ?? error.map { .failure($0) } ?? .success(()) }
  }

  private func tell(_ change: () -> Void) {
    let waited = lock.withLock { () -> [CheckedContinuation<Void, Never>] in
      change()
      events += 1
      defer { waiting = [] }
      return waiting
    }
    for each in waited { each.resume() }
  }

  /// Returns at once if there was an event since.
  private func event(after count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = lock.withLock { () -> Bool in
        if events == count { waiting.append(continuation) }
        return events != count
      }
      if isOver { continuation.resume() }
    }
  }
}
