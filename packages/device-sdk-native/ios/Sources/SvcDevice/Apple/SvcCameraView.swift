#if canImport(UIKit)
  import SwiftUI
  import UIKit

  /// Shows a device: the mirrored camera picture during an attempt, and the prompts if the page draws them.
  ///
  /// The last view that was given a device shows it.
  public final class SvcCameraView: UIView {
    public var device: SvcDevice? {
      didSet {
        guard device !== oldValue else { return }
        if let container = oldValue?.page.container, container.superview === self { container.removeFromSuperview() }
        adopt()
      }
    }

    public init(device: SvcDevice? = nil) {
      self.device = device
      super.init(frame: .zero)
      adopt()
    }

    @available(*, unavailable)
    public required init?(coder: NSCoder) {
      fatalError("SvcCameraView is made in code")
    }

    private func adopt() {
      guard let container = device?.page.container else { return }
      container.frame = bounds
      container.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      addSubview(container)
    }
  }

  /// ``SvcCameraView`` for SwiftUI.
  public struct SvcCamera: UIViewRepresentable {
    private let device: SvcDevice

    public init(_ device: SvcDevice) {
      self.device = device
    }

    public func makeUIView(context: Context) -> SvcCameraView { SvcCameraView(device: device) }

    public func updateUIView(_ view: SvcCameraView, context: Context) { view.device = device }
  }
#endif
