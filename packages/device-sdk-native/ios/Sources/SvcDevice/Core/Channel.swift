import Foundation

/// The shell's side of the sessions of a page: numbers requests, matches answers, refuses and drops what the contract
/// says.
@MainActor
final class Channel {
  /// A new session: everything of the former one has failed already.
  var onHello: (Hello) -> Void = { _ in }
  var onEvent: (Message) -> Void = { _ in }

  private let answer: @Sendable (PageRequest) async throws -> PageRequest.Answer
  private let release: @Sendable () async -> Void
  private let deliver: (String) -> Void
  private var session: String?
  private var lastID = 0
  private var highestID = 0
  private var waiting: [Int: Waiting] = [:]
  /// Requests of a session wait for the release of the former one's handles.
  private var releasing: Task<Void, Never>?

  private struct Waiting {
    let name: String
    let resume: (Result<Message, SvcError>) -> Void
  }

  /// - Parameters:
  ///   - answer: answers a request of the page.
  ///   - release: lets go of what a page that is gone held.
  ///   - deliver: takes each text to the page.
  init(
    answer: @escaping @Sendable (PageRequest) async throws -> PageRequest.Answer,
    release: @escaping @Sendable () async -> Void,
    deliver: @escaping (String) -> Void
  ) {
    self.answer = answer
    self.release = release
    self.deliver = deliver
  }

  /// Takes a text of the page.
  func receive(_ text: String) {
    switch readMessage(text, session: session, highestID: highestID) {
    case .hello(let session, let message):
      guard session != self.session, let hello: Hello = try? message.body() else { return }
      close(SvcError(.rendererGone, "the page was loaded again"))
      self.session = session
      onHello(hello)
    case .event(let message): onEvent(message)
    case .request(let message, let id):
      highestID = id
      handle(message, id: id)
    case .refused(let code, let id, let name):
      // A message of another version says nothing about the ids of this one.
      if code != .versionUnsupported { highestID = max(highestID, id) }
      fail(name, id: id, SvcError(code, code.rawValue))
    case .answer(let message, let id): answered(.success(message), id: id, name: message.name)
    case .failure(let error, let id, let name): answered(.failure(error), id: id, name: name)
    case .dropped: break
    }
  }

  /// Sends a request and waits for the answer.
  /// - Parameter timeout: in seconds; without it until the session ends.
  /// - Throws: ``SvcError`` with the failure's code; `timeout`, `renderer-gone`, `message-invalid`, `too-large`.
  func request<Answer: Decodable & Sendable>(
    _ name: String, _ body: any Encodable & Sendable = Empty(), timeout: TimeInterval? = nil
  ) async throws -> Answer {
    guard let session else { throw SvcError(.rendererGone, "the page is not there") }
    lastID += 1
    let id = lastID
    let text = try writeMessage(.request, name, id: id, session: session, body: body)
    let timer = timeout.map { seconds in
      Task { [weak self] in
        guard (try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))) != nil else { return }
        self?.answered(.failure(SvcError(.timeout, "\(name): no answer in time")), id: id, name: name)
      }
    }
    defer { timer?.cancel() }
    let message = try await withCheckedThrowingContinuation { continuation in
      waiting[id] = Waiting(name: name) { continuation.resume(with: $0) }
      deliver(text)
    }
    return try message.body()
  }

  /// Ends the session: every request that waits fails, and what the page held is released.
  func close(_ error: SvcError) {
    session = nil
    lastID = 0
    highestID = 0
    let failed = waiting
    waiting.removeAll()
    for each in failed.values { each.resume(.failure(error)) }
    releasing = Task { [release, before = releasing] in
      await before?.value
      await release()
    }
  }

  /// Returns when what former sessions held is released, and what was done for them has ended.
  func released() async { await releasing?.value }

  private func answered(_ result: Result<Message, SvcError>, id: Int, name: String) {
    guard waiting[id]?.name == name else { return }
    waiting.removeValue(forKey: id)?.resume(result)
  }

  private func handle(_ message: Message, id: Int) {
    let request: PageRequest
    do {
      request = try PageRequest(message)
    } catch {
      return fail(message.name, id: id, error)
    }
    let began = session
    Task { [weak self, answer, releasing] in
      await releasing?.value
      // Nothing is done for a page that is gone.
      guard began == self?.session else { return }
      let result: Result<PageRequest.Answer, any Error>
      do { result = .success(try await answer(request)) } catch { result = .failure(error) }
      guard let self, let session = self.session, session == began else { return }
      do {
        self.deliver(try writeMessage(.answer, message.name, id: id, session: session, body: result.get()))
      } catch {
        self.fail(message.name, id: id, error)
      }
    }
  }

  private func fail(_ name: String, id: Int, _ error: any Error) {
    guard let session else { return }
    let error = error as? SvcError ?? SvcError(.runtimeFailed, "\(name) failed")
    let body = Failure(code: error.code, message: String(error.message.prefix(1_024)))
    if let text = try? writeMessage(.failure, name, id: id, session: session, body: body) { deliver(text) }
  }
}
