import SvcDevice
import SwiftUI

/// A door: type or scan an ID, look at the camera, read the result.
@main
struct CheckInApp: App {
  init() {
    // Before anything else: what is due is erased.
    SvcUnattendedErasure.applicationDidLaunch()
  }

  var body: some Scene {
    WindowGroup { DoorView() }
  }
}

struct DoorView: View {
  @State private var device: SvcDevice?
  @State private var scannedId = ""
  @State private var line = "Starting"
  @State private var isBusy = false

  var body: some View {
    ZStack {
      if let device { SvcCamera(device).ignoresSafeArea() }
      VStack {
        Text(line)
        TextField("Ticket", text: $scannedId)
        Button("Check in") { verify() }.disabled(isBusy || device == nil)
      }
      .padding()
    }
    .task { await open() }
  }

  private func open() async {
    do {
      let opened = try SvcDevice(configuration: .fromBundle())
      device = opened
      try await opened.start()
      for await status in opened.status { line = status.ready ? "Ready: \(status.people) people" : "Not ready" }
    } catch {
      line = "The device does not start: \(error)"
    }
  }

  private func verify() {
    guard let device else { return }
    isBusy = true
    Task {
      let result = await device.verifyLive(scannedId: scannedId)
      switch result.outcome {
      case .match: line = "Welcome"
      case .notEnrolled, .leaseExpired, .expired: line = "Standard check-in"
      case .livenessFailed, .challengeFailed, .noMatch, .noFace: line = "Please wait for a member of staff"
      }
      scannedId = ""
      isBusy = false
    }
  }
}

extension SvcConfiguration {
  /// From Info.plist, for a development build. A real app pairs: it reads the token from a code and keeps it in the
  /// Keychain.
  fileprivate static func fromBundle() -> SvcConfiguration {
    let value = { (key: String) in Bundle.main.object(forInfoDictionaryKey: key) as? String ?? "" }
    guard let baseURL = URL(string: value("SvcBaseURL")) else { return SvcConfiguration(deviceToken: "", region: .eu) }
    return SvcConfiguration(
      deviceToken: value("SvcDeviceToken"), region: .own(baseURL: baseURL, signingKeys: [value("SvcSigningKey")]))
  }
}
