#if canImport(UIKit)
  import Foundation
  import WebKit

  /// Serves the packaged page at `svc-device://localhost/`.
  @MainActor
  final class AssetHandler: NSObject, WKURLSchemeHandler {
    private let assets: Assets
    private var running: [ObjectIdentifier: Task<Void, Never>] = [:]

    init(assets: Assets) {
      self.assets = assets
    }

    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
      let id = ObjectIdentifier(urlSchemeTask)
      running[id] = Task {
        await serve(urlSchemeTask)
        running[id] = nil
      }
    }

    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
      running.removeValue(forKey: ObjectIdentifier(urlSchemeTask))?.cancel()
    }

    /// A task that was stopped must not be called again. `stop` runs on the main actor too, so that nothing can come
    /// between a check of `Task.isCancelled` and the calls after it, up to the next `await`.
    private func serve(_ task: any WKURLSchemeTask) async {
      // Stopped before this began.
      if Task.isCancelled { return }
      guard let url = task.request.url, task.request.httpMethod ?? "GET" == "GET",
        let asset = assets.asset(at: url), let reader = try? AssetReader(asset.file)
      else {
        return task.didFailWithError(URLError(.fileDoesNotExist))
      }
      var knowsWasmUnsafeEval = false
      if #available(iOS 16, *) { knowsWasmUnsafeEval = true }
      let headers = Assets.headers(
        for: asset, byteLength: reader.byteLength, knowsWasmUnsafeEval: knowsWasmUnsafeEval)
      guard
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
      else { return task.didFailWithError(URLError(.unknown)) }
      task.didReceive(response)
      do {
        while let piece = try await reader.next() {
          if Task.isCancelled { return }
          task.didReceive(piece)
        }
        if Task.isCancelled { return }
        task.didFinish()
      } catch {
        if !Task.isCancelled { task.didFailWithError(error) }
      }
    }
  }
#endif
