#if canImport(UIKit)
  import AVFoundation
  import UIKit
  import WebKit

  /// The page in a web view of its own, which is made anew at each load: also a page whose script hangs is replaced.
  @MainActor
  final class WebPage: NSObject, PageHost {
    /// What shows the page; the web view inside changes.
    let container = UIView()
    var onMessage: (String) -> Void = { _ in }
    var onDeath: () -> Void = {}

    private static let bridge = "svcDevice"

    private let assets: Assets
    private var view: WKWebView?
    private var rules: WKContentRuleList?

    init(assets: Assets) {
      self.assets = assets
      super.init()
      container.backgroundColor = .black
      container.clipsToBounds = true
    }

    func load() {
      unload()
      let view = makeView()
      self.view = view
      container.addSubview(view)
      Task {
        do {
          let rules = try await blockingRules()
          // Another load may have come in between.
          guard self.view === view, let entry = URL(string: Assets.entry) else { return }
          view.configuration.userContentController.add(rules)
          view.load(URLRequest(url: entry))
        } catch {
          // Without the rules the page is not loaded; the shell gives up waiting for it.
          if self.view === view { unload() }
        }
      }
    }

    func unload() {
      guard let view else { return }
      self.view = nil
      view.navigationDelegate = nil
      view.uiDelegate = nil
      view.configuration.userContentController.removeAllScriptMessageHandlers()
      view.stopLoading()
      view.removeFromSuperview()
    }

    func deliver(_ text: String) {
      view?.callAsyncJavaScript(
        "window.svcDeviceReceive(text)", arguments: ["text": text], in: nil, in: .page, completionHandler: nil)
    }

    /// In case the page does not stop it itself.
    func stopCamera() { view?.setCameraCaptureState(.none, completionHandler: nil) }

    private func makeView() -> WKWebView {
      let configuration = WKWebViewConfiguration()
      configuration.websiteDataStore = .nonPersistent()
      configuration.allowsInlineMediaPlayback = true
      configuration.mediaTypesRequiringUserActionForPlayback = []
      configuration.preferences.javaScriptCanOpenWindowsAutomatically = false
      // As a desktop an iPad names no version of iOS, by which the page knows whether WebKit has `wasm-unsafe-eval`.
      configuration.defaultWebpagePreferences.preferredContentMode = .mobile
      configuration.setURLSchemeHandler(AssetHandler(assets: assets), forURLScheme: Assets.scheme)
      configuration.userContentController.add(MessageReceiver(page: self), contentWorld: .page, name: Self.bridge)
      let view = WKWebView(frame: container.bounds, configuration: configuration)
      view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view.navigationDelegate = self
      view.uiDelegate = self
      view.isOpaque = false
      view.backgroundColor = .black
      view.allowsLinkPreview = false
      view.scrollView.isScrollEnabled = false
      view.scrollView.contentInsetAdjustmentBehavior = .never
      return view
    }

    private func blockingRules() async throws -> WKContentRuleList {
      if let rules { return rules }
      let compiled: WKContentRuleList? = try await WKContentRuleListStore.default()
        .compileContentRuleList(forIdentifier: "svc-device", encodedContentRuleList: Assets.rules)
      guard let compiled else { throw SvcError(.runtimeFailed, "the content rules do not compile") }
      rules = compiled
      return compiled
    }

    fileprivate func receive(_ message: WKScriptMessage) {
      let frame = message.frameInfo
      guard frame.isMainFrame, isOwn(frame.securityOrigin), message.webView === view, let text = message.body as? String
      else { return }
      onMessage(text)
    }

    private func isOwn(_ origin: WKSecurityOrigin) -> Bool {
      origin.protocol == Assets.scheme && origin.host == Assets.host && origin.port == 0
    }

    private func died(_ webView: WKWebView) {
      if webView === view { onDeath() }
    }
  }

  /// A user content controller holds its handlers; this one does not hold the page.
  @MainActor
  private final class MessageReceiver: NSObject, WKScriptMessageHandler {
    private weak var page: WebPage?

    init(page: WebPage) {
      self.page = page
    }

    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
      page?.receive(message)
    }
  }

  extension WebPage: WKNavigationDelegate {
    func webView(
      _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
      decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
      let isOwn = navigationAction.targetFrame?.isMainFrame == true && Assets.contains(navigationAction.request.url)
      decisionHandler(isOwn ? .allow : .cancel)
    }

    func webView(
      _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
      decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
    ) {
      let isOwn = navigationResponse.canShowMIMEType && Assets.contains(navigationResponse.response.url)
      decisionHandler(isOwn ? .allow : .cancel)
    }

    func webView(_ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error) {
      died(webView)
    }

    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
      died(webView)
    }

    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
      died(webView)
    }
  }

  extension WebPage: WKUIDelegate {
    /// The app has asked for the camera before; the page gets it without a second question.
    func webView(
      _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
      initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
      decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    ) {
      let isOwn = frame.isMainFrame && isOwn(origin) && type == .camera
      let isAllowed = AVCaptureDevice.authorizationStatus(for: .video) == .authorized
      decisionHandler(isOwn && isAllowed ? .grant : .deny)
    }

    func webView(
      _ webView: WKWebView, requestDeviceOrientationAndMotionPermissionFor origin: WKSecurityOrigin,
      initiatedByFrame frame: WKFrameInfo,
      decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    ) {
      decisionHandler(.deny)
    }
  }
#endif
