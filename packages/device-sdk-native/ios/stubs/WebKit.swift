// Stub for type checks on Linux: what the shell uses of WebKit, as in the SDK of iOS 18 for iOS 15. Objective-C's
// optional requirements have default implementations.
@_exported import FoundationNetworking
import UIKit

@MainActor public protocol WKURLSchemeTask: NSObjectProtocol {
  var request: URLRequest { get }
  func didReceive(_ response: URLResponse)
  func didReceive(_ data: Data)
  func didFinish()
  func didFailWithError(_ error: any Error)
}

@MainActor public protocol WKURLSchemeHandler: NSObjectProtocol {
  func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
  func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

@MainActor open class WKContentWorld: NSObject {
  public class var page: WKContentWorld { fatalError() }
}

@MainActor open class WKSecurityOrigin: NSObject {
  open var `protocol`: String { fatalError() }
  open var host: String { fatalError() }
  open var port: Int { fatalError() }
}

@MainActor open class WKFrameInfo: NSObject {
  open var isMainFrame: Bool { fatalError() }
  open var securityOrigin: WKSecurityOrigin { fatalError() }
}

@MainActor open class WKScriptMessage: NSObject {
  open var body: Any { fatalError() }
  open weak var webView: WKWebView? { fatalError() }
  open var frameInfo: WKFrameInfo { fatalError() }
}

@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
  func userContentController(_ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor open class WKContentRuleList: NSObject {}

@MainActor open class WKContentRuleListStore: NSObject {
  public class func `default`() -> WKContentRuleListStore! { fatalError() }
  open func compileContentRuleList(
    forIdentifier identifier: String!, encodedContentRuleList: String!
  ) async throws -> WKContentRuleList! { fatalError() }
}

@MainActor open class WKUserContentController: NSObject {
  open func add(_ scriptMessageHandler: any WKScriptMessageHandler, contentWorld world: WKContentWorld, name: String) {}
  open func removeAllScriptMessageHandlers() {}
  open func add(_ contentRuleList: WKContentRuleList) {}
}

@MainActor open class WKWebsiteDataStore: NSObject {
  public class func nonPersistent() -> WKWebsiteDataStore { fatalError() }
}

@MainActor open class WKPreferences: NSObject {
  open var javaScriptCanOpenWindowsAutomatically = false
}

@MainActor open class WKWebpagePreferences: NSObject {
  public enum ContentMode: Int, Sendable { case recommended, mobile, desktop }
  open var preferredContentMode: ContentMode = .recommended
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

@MainActor open class WKWebViewConfiguration: NSObject {
  public override init() {}
  open var websiteDataStore: WKWebsiteDataStore { get { fatalError() } set {} }
  open var userContentController: WKUserContentController { get { fatalError() } set {} }
  open var preferences: WKPreferences { get { fatalError() } set {} }
  open var defaultWebpagePreferences: WKWebpagePreferences! { get { fatalError() } set {} }
  open var allowsInlineMediaPlayback = false
  open var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes = []
  open func setURLSchemeHandler(_ urlSchemeHandler: (any WKURLSchemeHandler)?, forURLScheme urlScheme: String) {}
}

public enum WKMediaCaptureState: Int, Sendable { case none, active, muted }
public enum WKMediaCaptureType: Int, Sendable { case camera, microphone, cameraAndMicrophone }
public enum WKPermissionDecision: Int, Sendable { case prompt, grant, deny }
public enum WKNavigationActionPolicy: Int, Sendable { case cancel, allow, download }
public enum WKNavigationResponsePolicy: Int, Sendable { case cancel, allow, download }

@MainActor open class WKNavigation: NSObject {}
@MainActor open class WKNavigationAction: NSObject {
  open var request: URLRequest { fatalError() }
  open var targetFrame: WKFrameInfo? { fatalError() }
}
@MainActor open class WKNavigationResponse: NSObject {
  open var response: URLResponse { fatalError() }
  open var canShowMIMEType: Bool { fatalError() }
}

@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void)
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void)
  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)
  func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

@MainActor public protocol WKUIDelegate: NSObjectProtocol {
  func webView(
    _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
    initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
    decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void)
  func webView(
    _ webView: WKWebView, requestDeviceOrientationAndMotionPermissionFor origin: WKSecurityOrigin,
    initiatedByFrame frame: WKFrameInfo,
    decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void)
}

@MainActor open class WKWebView: UIView {
  public init(frame: CGRect, configuration: WKWebViewConfiguration) { super.init(frame: frame) }
  public required init?(coder: NSCoder) { fatalError() }
  open var configuration: WKWebViewConfiguration { fatalError() }
  open weak var navigationDelegate: (any WKNavigationDelegate)?
  open weak var uiDelegate: (any WKUIDelegate)?
  open var allowsLinkPreview = true
  open var scrollView: UIScrollView { fatalError() }
  @discardableResult open func load(_ request: URLRequest) -> WKNavigation? { fatalError() }
  open func stopLoading() {}
  open func callAsyncJavaScript(
    _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
    in contentWorld: WKContentWorld, completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
  ) {}
  open func setCameraCaptureState(_ state: WKMediaCaptureState, completionHandler: (@MainActor @Sendable () -> Void)? = nil)
  {}
}
