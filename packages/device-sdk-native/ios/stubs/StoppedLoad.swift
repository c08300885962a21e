// Run on Linux with the stubs: WebKit ends an app that calls a load which it has stopped, also one that had not begun.
import Foundation
import UIKit
import WebKit

@MainActor private final class Load: NSObject, WKURLSchemeTask {
  let request = URLRequest(url: URL(string: Assets.entry) ?? URL(fileURLWithPath: "/"))
  private(set) var calls = 0
  func didReceive(_ response: URLResponse) { calls += 1 }
  func didReceive(_ data: Data) { calls += 1 }
  func didFinish() { calls += 1 }
  func didFailWithError(_ error: any Error) { calls += 1 }
}

@main
@MainActor
private enum StoppedLoad {
  static func main() async throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[1])
    try Data("page".utf8).write(to: folder.appendingPathComponent("index.html"))
    let manifest = #"{"files":[{"path":"index.html","headers":{"content-type":"text/html"}}]}"#
    try Data(manifest.utf8).write(to: folder.appendingPathComponent("assets.json"))
    let handler = AssetHandler(assets: Assets(folder: folder))
    let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
    let (whole, stopped) = (Load(), Load())
    handler.webView(view, start: stopped)
    handler.webView(view, stop: stopped)
    handler.webView(view, start: whole)
    while whole.calls < 3 { try await Task.sleep(nanoseconds: 10_000_000) }
    exit(stopped.calls == 0 ? 0 : 1)
  }
}
