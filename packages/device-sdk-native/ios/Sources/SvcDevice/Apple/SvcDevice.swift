#if canImport(UIKit)
  import AVFoundation
  import UIKit

  /// A check-in device: verifies, offline and one to one, that the person before the camera is the one whose ID was
  /// scanned.
  ///
  /// One device at a time. Show it in a ``SvcCameraView`` or a ``SvcCamera`` as long as it is used: the system pauses
  /// pages that no window shows.
  @MainActor
  public final class SvcDevice {
    private static weak var current: SvcDevice?

    let page: WebPage
    private let shell: Shell
    private var observers: [AppObserver] = []

    /// Erases what is due; nothing is loaded before ``start()``.
    /// - Parameter assets: the folder of `svc-device-assets --native`; `svc-device` in the app's bundle without it.
    /// - Throws: ``SvcError`` `device-in-use` until the former device was disposed; `model-missing` without the folder;
    ///   `storage-failed`, also before the first unlock since the device was switched on.
    public convenience init(configuration: SvcConfiguration, assets: URL? = nil) throws {
      try self.init(request: configuration.request, assets: assets)
    }

    init(request: ConfigureRequest, assets: URL? = nil) throws {
      guard Self.current == nil else { throw SvcError(.deviceInUse, "dispose the former device first") }
      let storage = try DeviceStorage.open()
      try storage.eraseGuard.eraseIfDue()
      guard let folder = assets ?? Bundle.main.url(forResource: "svc-device", withExtension: nil) else {
        throw SvcError(.modelMissing, "the app's bundle has no folder svc-device")
      }
      let services = PageServices(
        keys: KeyStore(storage: storage.keychain, cryptography: AppleCryptography()),
        packs: try PackStore(folder: storage.folder),
        transport: Transport(),
        eraseGuard: storage.eraseGuard,
        requestCamera: { await Self.requestCamera() }
      )
      page = WebPage(assets: Assets(folder: folder))
      shell = Shell(
        page: page, services: services, configuration: request,
        isInBackground: UIApplication.shared.applicationState == .background)
      page.onMessage = { [weak shell] in shell?.receive($0) }
      page.onDeath = { [weak shell] in shell?.pageDied() }
      observers = [
        AppObserver(UIApplication.willEnterForegroundNotification) { [weak shell] in shell?.enterForeground() },
        // An app that was launched is told of its foreground in this way alone.
        AppObserver(UIApplication.didBecomeActiveNotification) { [weak shell] in
          if let shell, shell.isInBackground { shell.enterForeground() }
        },
        AppObserver(UIApplication.didEnterBackgroundNotification) { [weak shell, weak page] in
          shell?.enterBackground()
          page?.stopCamera()
          SvcUnattendedErasure.schedule()
        },
        AppObserver(UIApplication.didReceiveMemoryWarningNotification) { [weak shell] in shell?.lowMemory() },
      ]
      Self.current = self
    }

    /// Loads the page, opens the device, and syncs now and every five minutes while the app is in the foreground.
    /// - Throws: ``SvcError``: `configuration-invalid`, `passive-liveness-missing`, `model-missing`,
    ///   `webassembly-missing` (Lockdown Mode), `webview-too-old`, `storage-failed`, `timeout`, `renderer-gone`,
    ///   `disposed`. It may be called again.
    public func start() async throws { try await shell.start() }

    /// Verifies the person before the camera. Never throws: problems at the door are results, and a cancelled task is
    /// `cancelled`. One attempt at a time: another call is `attempt-in-progress`.
    /// - Parameters:
    ///   - scannedId: exactly as it was enrolled; it is not trimmed.
    ///   - headTurn: `alternative` for people who cannot turn their head, if the list has an alternative.
    public func verifyLive(scannedId: String, headTurn: HeadTurn = .asked) async -> VerificationResult {
      await shell.verify(scannedId, headTurn: headTurn)
    }

    /// Syncs now. A sync that changes nothing is a result with its reason.
    /// - Throws: ``SvcError`` if the page is not running.
    public func syncAsync() async throws -> SyncResult { try await shell.sync() }

    /// The latest status, then each change. Every call gives a stream of its own.
    public var status: AsyncStream<DeviceStatus> { shell.statuses.stream() }

    /// Nil before the first.
    public var latestStatus: DeviceStatus? { shell.statuses.latest }

    /// Instructions to the person, for apps that draw them (``PromptsBy/host``); nil when an attempt ended.
    public var prompts: AsyncStream<Prompt?> { shell.prompts.stream() }

    /// Ends the running attempt, whose result is `cancelled`.
    public func cancel() { shell.cancel() }

    /// Staff have looked at the person; counts only after the prompt `staff-confirms`.
    /// - Throws: ``SvcError`` without a running attempt.
    public func confirmByStaff() async throws { try await shell.confirmByStaff() }

    /// Lets a person whom the device let in by mistake come again.
    /// - Throws: ``SvcError``
    public func takeBackAdmission(scannedId: String) async throws -> TakeBackOutcome {
      try await shell.takeBackAdmission(scannedId)
    }

    /// Disposes the device, deletes its keys, checks that they are gone, and deletes everything else.
    /// - Parameter keepDeviceKey: keeps the key pair to which the service has bound the token, so that a device with
    ///   the same token gets its list again.
    /// - Throws: ``SvcError`` `storage-failed`; call ``forget(keepDeviceKey:)-swift.type.method`` to try again.
    public func forget(keepDeviceKey: Bool = false) async throws {
      await dispose()
      try Self.forget(keepDeviceKey: keepDeviceKey)
    }

    /// The same where no device is open.
    /// - Throws: ``SvcError``: `device-in-use`, `storage-failed`.
    public static func forget(keepDeviceKey: Bool = false) throws {
      guard current == nil else { throw SvcError(.deviceInUse, "dispose the device first") }
      try DeviceStorage.forget(keepDeviceKey: keepDeviceKey)
    }

    /// Ends the page and the camera. Idempotent; a new device may be made afterwards.
    public func dispose() async {
      observers = []
      await shell.dispose()
      if Self.current === self { Self.current = nil }
    }

    /// The page holds what a background task has erased.
    static func dataErased() { current?.shell.dataErased() }

    private static func requestCamera() async -> CameraPermission {
      switch AVCaptureDevice.authorizationStatus(for: .video) {
      case .authorized: return .granted
      case .restricted: return .restricted
      case .notDetermined: return await AVCaptureDevice.requestAccess(for: .video) ? .granted : .denied
      default: return .denied
      }
    }
  }

  extension SvcConfiguration {
    static var systemLanguage: String? { Bundle.main.preferredLocalizations.first ?? Locale.preferredLanguages.first }

    fileprivate var request: ConfigureRequest {
      ConfigureRequest(
        minor: SvcVersion.contractMinor,
        deviceToken: deviceToken,
        region: region.wire,
        passiveLiveness: passiveLiveness,
        lightChallenge: lightChallenge,
        maxSyncBytes: maxSyncBytes,
        syncTimeoutMs: syncTimeout.map { Int($0 * 1_000) },
        language: language ?? Self.systemLanguage,
        prompts: prompts,
        camera: camera,
        shell: .own
      )
    }
  }

  extension ShellInfo {
    static var own: ShellInfo {
      let system = ProcessInfo.processInfo.operatingSystemVersion
      let version = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
      return ShellInfo(platform: .ios, version: SvcVersion.shell, osVersion: version)
    }
  }

  /// Calls back on the main actor for as long as it is held.
  private final class AppObserver {
    private let token: any NSObjectProtocol

    init(_ name: Notification.Name, _ body: @escaping @MainActor @Sendable () -> Void) {
      token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
        MainActor.assumeIsolated { body() }
      }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
  }
#endif
