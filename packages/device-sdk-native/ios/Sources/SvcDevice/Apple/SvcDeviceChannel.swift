#if canImport(UIKit)
  import UIKit

  /// One device for hosts in other languages, such as Flutter and .NET MAUI: the names of the contract, and its bodies as
  /// JSON texts, without what the shell adds (`minor`, `shell`, `attempt`).
  @MainActor
  public final class SvcDeviceChannel {
    /// How a call ends, on the main actor: with an answer's body, or with a failure's code and message.
    public typealias Answer = @MainActor @Sendable (_ body: String?, _ code: String?, _ message: String?) -> Void

    /// Gets name and body of each event.
    public var events: (@MainActor @Sendable (_ name: String, _ body: String) -> Void)?
    private var device: SvcDevice?
    private var watches: [Task<Void, Never>] = []
    private weak var view: SvcCameraView?

    public init() {}

    /// May be called from any thread.
    public nonisolated func call(_ name: String, body: String, answer: @escaping Answer) {
      Task { @MainActor in
        do {
          answer(try await carryOut(name, Data(body.utf8)), nil, nil)
        } catch let error as SvcError {
          answer(nil, error.code.rawValue, error.message)
        } catch {
          answer(nil, FailureCode.messageInvalid.rawValue, "a body of another form")
        }
      }
    }

    /// A view that shows the device, in place of the one that was created before.
    public func createCameraView() -> SvcCameraView {
      view?.device = nil
      let created = SvcCameraView(device: device)
      view = created
      return created
    }

    private func carryOut(_ name: String, _ body: Data) async throws -> String {
      switch name {
      case "configure":
        return try text(StatusBody(status: try await open(configuration(of: body))))
      case "sync":
        return try text(SyncAnswer(result: try await current().syncAsync()))
      case "verify":
        let asked: Attempt = try read(body)
        let result = try await current().verifyLive(scannedId: asked.scannedId, headTurn: asked.headTurn)
        return try text(VerifyAnswer(result: result))
      case "cancel":
        try current().cancel()
      case "confirmByStaff":
        try await current().confirmByStaff()
      case "takeBackAdmission":
        let asked: TakeBackRequest = try read(body)
        return try text(TakeBackAnswer(outcome: try await current().takeBackAdmission(scannedId: asked.scannedId)))
      case "forget":
        let ended = try current()
        release()
        try await ended.forget()
      case "dispose":
        let ended = try current()
        release()
        await ended.dispose()
      default:
        throw SvcError(.unknownName, "the channel has no such call")
      }
      return "{}"
    }

    private func current() throws -> SvcDevice {
      guard let device else { throw SvcError(.notConfigured, "there is no device") }
      return device
    }

    /// A host that was started anew in this process, such as by a hot restart, gets another device.
    private func open(_ request: ConfigureRequest) async throws -> DeviceStatus {
      await release()?.dispose()
      let opened = try SvcDevice(request: request)
      device = opened
      // Before the page loads: the system pauses pages that no window shows.
      view?.device = opened
      do {
        try await opened.start()
      } catch {
        // Another call may have opened another device meanwhile.
        if device === opened { release() }
        await opened.dispose()
        throw error
      }
      guard device === opened else { throw SvcError(.disposed, "the device was disposed") }
      guard let status = opened.latestStatus else { throw SvcError(.rendererGone, "the page told no status") }
      watches = [
        Task { [weak self] in
          for await status in opened.status { self?.tell("status", StatusBody(status: status)) }
        },
        Task { [weak self] in
          for await prompt in opened.prompts { self?.tell("prompt", Shown(prompt: prompt)) }
        },
      ]
      return status
    }

    /// Nothing of the device that was is called or told of any more.
    @discardableResult
    private func release() -> SvcDevice? {
      for watch in watches { watch.cancel() }
      watches = []
      view?.device = nil
      defer { device = nil }
      return device
    }

    /// The body of `configure`, with what the shell adds to it.
    private func configuration(of body: Data) throws -> ConfigureRequest {
      guard var asked = try JSONSerialization.jsonObject(with: body) as? [String: Any] else { throw AnotherForm() }
      asked["minor"] = SvcVersion.contractMinor
      asked["shell"] = try JSONSerialization.jsonObject(with: JSONEncoder().encode(ShellInfo.own))
      asked["language"] = asked["language"] ?? SvcConfiguration.systemLanguage
      return try read(JSONSerialization.data(withJSONObject: asked))
    }

    private func tell(_ name: String, _ body: some Encodable) {
      guard let body = try? text(body) else { return }
      events?(name, body)
    }

    private func text(_ body: some Encodable) throws -> String {
      String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    }

    private func read<Body: Decodable>(_ body: Data) throws -> Body { try JSONDecoder().decode(Body.self, from: body) }
  }

  /// Body of `verify` without the attempt.
  private struct Attempt: Decodable {
    let scannedId: String
    let headTurn: HeadTurn
  }

  /// Body of `prompt` without the attempt.
  private struct Shown: Encodable {
    let prompt: Prompt?

    private enum CodingKeys: CodingKey { case prompt }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(prompt, forKey: .prompt)
    }
  }
#endif
