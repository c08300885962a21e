import Foundation

/// The page's files, as `svc-device-assets --native` builds them, at an origin of the app's own.
struct Assets: Sendable {
  static let scheme = "svc-device"
  static let host = "localhost"
  static let entry = "svc-device://localhost/index.html"

  struct Asset: Equatable, Sendable {
    let file: URL
    let mediaType: String
    /// The content policy that the manifest names for it: the worker's own allows more than the page's.
    var policy: String?
  }

  private struct Manifest: Decodable {
    struct File: Decodable {
      let path: String
      let headers: [String: String]
    }

    let files: [File]
  }

  private let folder: URL
  /// Of each file that the manifest lists, by its path.
  private let headers: [String: [String: String]]

  init(folder: URL) {
    self.folder = folder
    let content = try? Data(contentsOf: folder.appendingPathComponent("assets.json"))
    let manifest = content.flatMap { try? JSONDecoder().decode(Manifest.self, from: $0) }
    let listed = (manifest?.files ?? []).map { ($0.path, $0.headers) }
    headers = Dictionary(listed + [("assets.json", ["content-type": "application/json"])]) { first, _ in first }
  }

  /// Whether a URL is of the page's origin.
  static func contains(_ url: URL?) -> Bool {
    guard let url, let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
    return parts.scheme == scheme && parts.host == host && parts.port == nil && parts.user == nil
  }

  /// Nil for another origin, and for what the manifest does not list.
  func asset(at url: URL?) -> Asset? {
    guard let url, Self.contains(url), let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
      return nil
    }
    let path = String(parts.path.dropFirst())
    guard let own = headers[path] else { return nil }
    return Asset(
      file: folder.appendingPathComponent(path), mediaType: own["content-type"] ?? "application/octet-stream",
      policy: own["content-security-policy"])
  }

  /// Headers of every answer. A document has the policy made here, whatever the manifest says: it is the stricter one.
  /// `knowsWasmUnsafeEval`: WebKit knows `wasm-unsafe-eval` from iOS 16 on; before, only `unsafe-eval` allows
  /// WebAssembly, in the worker too. `child-src` is what WebKit before 15.5 asks for workers.
  static func headers(for asset: Asset, byteLength: Int, knowsWasmUnsafeEval: Bool) -> [String: String] {
    let policy = [
      "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'", "child-src 'self'",
      "frame-src 'none'", "style-src 'self'", "img-src 'self' blob: data:", "media-src 'self' blob:",
      "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]
    let named = asset.mediaType.hasPrefix("text/html") ? nil : asset.policy
    let strict = named ?? policy.joined(separator: "; ")
    return [
      "Content-Type": asset.mediaType,
      "Content-Length": String(byteLength),
      "Content-Security-Policy": knowsWasmUnsafeEval
        ? strict : strict.replacingOccurrences(of: "'wasm-unsafe-eval'", with: "'unsafe-eval'"),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
    ]
  }

  /// A content rule list that blocks every load but the page's own.
  static let rules = """
    [
      { "trigger": { "url-filter": ".*" }, "action": { "type": "block" } },
      { "trigger": { "url-filter": "^svc-device://localhost/" }, "action": { "type": "ignore-previous-rules" } },
      { "trigger": { "url-filter": "^blob:svc-device://localhost/" }, "action": { "type": "ignore-previous-rules" } },
      { "trigger": { "url-filter": "^data:image/" }, "action": { "type": "ignore-previous-rules" } }
    ]
    """
}

/// Reads a file in pieces, away from the main thread.
actor AssetReader {
  private static let pieceBytes = 1 << 18

  private let handle: FileHandle
  let byteLength: Int

  init(_ file: URL) throws {
    handle = try FileHandle(forReadingFrom: file)
    byteLength = Int(try handle.seekToEnd())
    try handle.seek(toOffset: 0)
  }

  /// Nil at the end.
  func next() throws -> Data? {
    guard let piece = try handle.read(upToCount: Self.pieceBytes), !piece.isEmpty else {
      try handle.close()
      return nil
    }
    return piece
  }
}
