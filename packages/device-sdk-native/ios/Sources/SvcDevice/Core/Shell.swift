import Foundation

/// What holds the page: a web view, or a script in tests.
@MainActor
protocol PageHost: AnyObject {
  /// Loads the page anew, whatever it was doing.
  func load()
  func unload()
  func deliver(_ text: String)
}

/// How long the shell waits, in seconds.
struct Patience: Sendable {
  /// From the load to `hello`.
  var hello: TimeInterval = 30
  /// Loading and compiling the models.
  var configure: TimeInterval = 120
  var request: TimeInterval = 15
  /// Without a sign of life of a running attempt.
  var attempt: TimeInterval = 30
  /// From a cancellation to the result.
  var cancellation: TimeInterval = 5
  /// Pages that died within this time count together.
  var deaths: TimeInterval = 60
}

/// Keeps one page running and turns calls into messages. It knows no rule of the protocol: only the page's answer to
/// `verify` is a result, and without one the result is `NoFace`.
@MainActor
final class Shell {
  private enum Phase {
    case idle
    case starting
    case running
    case failed(SvcError)
    case disposed
  }

  private struct Attempt {
    let id: String
    let began: Date
    var lastSign: Date
    /// False while the page is being loaded again.
    var isAsked = false
    var cancelled: Date?
    let resume: (VerificationResult) -> Void
  }

  private static let deathLimit = 3

  let statuses = Broadcast<DeviceStatus>()
  let prompts = Broadcast<Prompt?>()

  private let page: any PageHost
  private let services: PageServices
  private let configuration: ConfigureRequest
  private let patience: Patience
  private let channel: Channel
  private let question: Question
  private var phase = Phase.idle
  private var starters: [CheckedContinuation<Void, any Error>] = []
  private var helloTimer: Task<Void, Never>?
  private var attempt: Attempt?
  private var deaths: [Date] = []
  private(set) var isInBackground: Bool
  /// It is loaded when the app comes to the foreground.
  private var isPageGone = false

  init(
    page: any PageHost, services: PageServices, configuration: ConfigureRequest, patience: Patience = Patience(),
    isInBackground: Bool = false
  ) {
    self.page = page
    self.isInBackground = isInBackground
    self.services = services
    self.configuration = configuration
    self.patience = patience
    let question = Question()
    self.question = question
    channel = Channel(
      answer: { request in
        guard request.name == "camera.requestPermission" else { return try await request.carryOut(with: services) }
        await question.begin()
        defer { Task { @MainActor in question.end() } }
        return try await request.carryOut(with: services)
      },
      release: { await services.releaseAll() },
      deliver: { [weak page] in page?.deliver($0) })
    channel.onHello = { [weak self] _ in self?.greeted() }
    channel.onEvent = { [weak self] in self?.told($0) }
  }

  // MARK: Life of the page

  /// Erases what is due, then loads the page and configures it; in the foreground, because the system suspends pages and
  /// their timers would run out. Concurrent calls wait for the same.
  func start() async throws {
    switch phase {
    case .running: return
    case .disposed: throw SvcError(.disposed, "the device was disposed")
    case .starting: break
    case .idle, .failed:
      try services.eraseGuard.eraseIfDue()
      deaths = []
      phase = .starting
      if isInBackground { isPageGone = true } else { load() }
    }
    try await withCheckedThrowingContinuation { starters.append($0) }
  }

  func receive(_ text: String) {
    if case .disposed = phase { return }
    channel.receive(text)
  }

  /// The page's process ended, or the page cannot go on.
  func pageDied() {
    switch phase {
    case .idle, .disposed, .failed: return
    case .starting, .running: break
    }
    channel.close(SvcError(.rendererGone, "the page's process ended"))
    if attempt?.isAsked == true { endAttempt(.engineFailed) }
    phase = .starting
    helloTimer?.cancel()
    guard !isInBackground else {
      // What it held in its memory goes with it.
      page.unload()
      isPageGone = true
      return
    }
    let now = Date()
    deaths = deaths.filter { now.timeIntervalSince($0) < patience.deaths } + [now]
    if deaths.count > Self.deathLimit { return fail(SvcError(.rendererGone, "the page's process ends again and again")) }
    load()
  }

  /// The app came to the foreground: what is due is erased before the page runs.
  func enterForeground() {
    isInBackground = false
    if case .disposed = phase { return }
    let hasErased = (try? services.eraseGuard.eraseIfDue()) == true
    if isPageGone {
      isPageGone = false
      load()
    } else if hasErased {
      // The page holds what is gone.
      pageDied()
    } else {
      tell(.foreground)
    }
  }

  /// The app goes to the background: the page ends a running attempt and stops the camera.
  func enterBackground() {
    isInBackground = true
    if attempt?.isAsked == false { endAttempt(.cancelled) }
    if attempt?.cancelled == nil { attempt?.cancelled = Date() }
    if case .starting = phase { pageDied() }
    tell(.background)
  }

  func lowMemory() { tell(.lowMemory) }

  /// A background task has erased what the page holds.
  func dataErased() { pageDied() }

  /// Ends the page; every call fails from now on. Idempotent.
  func dispose() async {
    if case .disposed = phase { return }
    if case .running = phase {
      let _: Empty? = try? await channel.request("dispose", timeout: patience.cancellation)
    }
    fail(SvcError(.disposed, "the device was disposed"))
    phase = .disposed
    statuses.finish()
    prompts.finish()
    await channel.released()
  }

  private func load() {
    phase = .starting
    page.load()
    helloTimer?.cancel()
    helloTimer = Task { [weak self, seconds = patience.hello] in
      guard (try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))) != nil else { return }
      self?.fail(SvcError(.timeout, "the page did not start"))
    }
  }

  private func greeted() {
    helloTimer?.cancel()
    if attempt?.isAsked == true { endAttempt(.engineFailed) }
    phase = .starting
    Task { await configure() }
  }

  private func configure() async {
    do {
      let answer: StatusBody = try await channel.request("configure", configuration, timeout: patience.configure)
      let _: Empty = try await channel.request("start", timeout: patience.request)
      guard case .starting = phase else { return }
      phase = .running
      statuses.send(answer.status)
      for starter in starters { starter.resume() }
      starters = []
    } catch let error as SvcError where error.code == .rendererGone {
      // A page that is loaded again is configured again.
    } catch {
      fail(error as? SvcError ?? SvcError(.runtimeFailed, "the page was not configured"))
    }
  }

  /// The page stays unloaded until the next ``start()``.
  private func fail(_ error: SvcError) {
    phase = .failed(error)
    helloTimer?.cancel()
    channel.close(error)
    page.unload()
    endAttempt(error.code == .disposed ? .disposed : .engineFailed)
    for starter in starters { starter.resume(throwing: error) }
    starters = []
  }

  private func told(_ event: Message) {
    switch event.name {
    case "status":
      if let body: StatusBody = try? event.body() { statuses.send(body.status) }
    case "prompt":
      guard let body: PromptEvent = try? event.body(), body.attempt == attempt?.id else { return }
      attempt?.lastSign = Date()
      prompts.send(body.prompt)
    case "fault":
      guard let body: Failure = try? event.body() else { return }
      // Loading it again helps against nothing else.
      if body.code == .runtimeFailed { pageDied() } else { fail(SvcError(body.code, body.message)) }
    default: break
    }
  }

  private func tell(_ state: LifecycleState) {
    guard case .running = phase else { return }
    Task {
      let _: Empty? = try? await channel.request("lifecycle", LifecycleRequest(state: state), timeout: patience.request)
    }
  }

  // MARK: Calls

  func sync() async throws -> SyncResult {
    try await running()
    let answer: SyncAnswer = try await channel.request("sync")
    return answer.result
  }

  func takeBackAdmission(_ scannedId: String) async throws -> TakeBackOutcome {
    try await running()
    let body = TakeBackRequest(scannedId: scannedId)
    let answer: TakeBackAnswer = try await channel.request("takeBackAdmission", body, timeout: patience.request)
    return answer.outcome
  }

  /// Never throws: what goes wrong is a result.
  func verify(_ scannedId: String, headTurn: HeadTurn) async -> VerificationResult {
    let began = Date()
    if case .disposed = phase { return noFace(.disposed, since: began) }
    guard attempt == nil else { return noFace(.attemptInProgress, since: began) }
    guard !isInBackground else { return noFace(.cancelled, since: began) }
    let id = Base64URL.encode(Secret.random(count: 16).data)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        attempt = Attempt(id: id, began: began, lastSign: began) { continuation.resume(returning: $0) }
        Task { await run(VerifyRequest(attempt: id, scannedId: scannedId, headTurn: headTurn)) }
        Task { await watch(id) }
      }
    } onCancel: {
      Task { @MainActor in self.cancel(id) }
    }
  }

  /// Ends the running attempt; its result is `cancelled`.
  func cancel() {
    if let id = attempt?.id { cancel(id) }
  }

  private func cancel(_ id: String) {
    guard let attempt, attempt.id == id, attempt.cancelled == nil else { return }
    guard attempt.isAsked else { return endAttempt(.cancelled) }
    self.attempt?.cancelled = Date()
    Task { let _: Empty? = try? await channel.request("cancel", AttemptRequest(attempt: id), timeout: patience.request) }
  }

  /// - Throws: ``SvcError``, `message-invalid` also without an attempt.
  func confirmByStaff() async throws {
    guard let id = attempt?.id else { throw SvcError(.messageInvalid, "no attempt is running") }
    let _: Empty = try await channel.request("confirmByStaff", AttemptRequest(attempt: id), timeout: patience.request)
  }

  private func running() async throws {
    switch phase {
    case .running: return
    case .starting: try await withCheckedThrowingContinuation { starters.append($0) }
    case .idle: throw SvcError(.notConfigured, "the device was not started")
    case .failed(let error): throw error
    case .disposed: throw SvcError(.disposed, "the device was disposed")
    }
  }

  private func run(_ request: VerifyRequest) async {
    do {
      try await running()
      guard attempt?.id == request.attempt else { return }
      attempt?.isAsked = true
      attempt?.lastSign = Date()
      let answer: VerifyAnswer = try await channel.request("verify", request)
      guard attempt?.id == request.attempt else { return }
      end(answer.result)
    } catch {
      let reason: VerificationReason =
        switch (error as? SvcError)?.code {
        case .cancelled: .cancelled
        case .cameraDenied: .cameraDenied
        case .busy: .attemptInProgress
        case .disposed: .disposed
        default: .engineFailed
        }
      endAttempt(reason, of: request.attempt)
    }
  }

  /// Ends an attempt whose page is silent, and loads that page again.
  private func watch(_ id: String) async {
    while let attempt, attempt.id == id {
      let now = Date()
      // A page waits as long as somebody reads the system's question.
      if question.isAsked { self.attempt?.lastSign = now }
      let isCancelledLate = attempt.cancelled.map { now.timeIntervalSince($0) >= patience.cancellation } == true
      if isCancelledLate || now.timeIntervalSince(attempt.lastSign) >= patience.attempt {
        endAttempt(isCancelledLate ? .cancelled : .engineFailed, of: id)
        return attempt.isAsked ? pageDied() : ()
      }
      try? await Task.sleep(nanoseconds: 100_000_000)
    }
  }

  private func endAttempt(_ reason: VerificationReason, of id: String? = nil) {
    guard let attempt, id == nil || attempt.id == id else { return }
    end(noFace(reason, since: attempt.began))
  }

  private func end(_ result: VerificationResult) {
    let resume = attempt?.resume
    attempt = nil
    prompts.send(nil)
    resume?(result)
  }

  private func noFace(_ reason: VerificationReason, since began: Date) -> VerificationResult {
    let totalMs = max(0, Int(Date().timeIntervalSince(began) * 1_000))
    return .noFace(reason, protections: statuses.latest?.protections, totalMs: totalMs)
  }
}

/// The system's question about the camera, which may stay on the screen for long.
@MainActor
private final class Question {
  private var count = 0
  var isAsked: Bool { count > 0 }
  func begin() { count += 1 }
  func end() { count -= 1 }
}

/// The latest value for any number of streams, each of which begins with it.
@MainActor
final class Broadcast<Value: Sendable> {
  private(set) var latest: Value?
  private var receivers: [UUID: AsyncStream<Value>.Continuation] = [:]
  private var isFinished = false

  func stream() -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      if let latest { continuation.yield(latest) }
      guard !isFinished else { return continuation.finish() }
      let id = UUID()
      receivers[id] = continuation
      continuation.onTermination = { [weak self] _ in
        Task { @MainActor in self?.receivers[id] = nil }
      }
    }
  }

  func send(_ value: Value) {
    latest = value
    for receiver in receivers.values { receiver.yield(value) }
  }

  func finish() {
    isFinished = true
    for receiver in receivers.values { receiver.finish() }
    receivers = [:]
  }
}

extension VerificationResult {
  /// The result of an attempt whose page did not give one.
  static func noFace(_ reason: VerificationReason, protections: Protections?, totalMs: Int) -> VerificationResult {
    VerificationResult(
      outcome: .noFace,
      reason: reason,
      protections: protections
        ?? Protections(
          passive: .absentStaffInView, passiveCalibration: nil, active: .headTurn, light: .off,
          attendance: .staffed, witness: nil),
      timings: VerificationTimings(
        totalMs: totalMs, cameraStartMs: nil, attemptMs: nil, frontalMs: nil, lightMs: nil, turnMs: nil, returnMs: nil),
      counts: VerificationCounts(
        framesAnalysed: 0, framesDropped: 0, framesUnscorable: 0, embeddings: 0, detections: 0))
  }
}
