import Foundation

/// Limits of every message.
enum MessageLimit {
  static let bytes = 1 << 20
  static let depth = 16
  static let chunkBytes = 196_608
  static let largestInteger = 1 << 53 - 1
}

/// What a receiver makes of a text of the page.
enum Received: Sendable {
  case hello(session: String, Message)
  case event(Message)
  case request(Message, id: Int)
  /// An answer or a failure.
  case answer(Message, id: Int)
  case failure(SvcError, id: Int, name: String)
  case refused(FailureCode, id: Int, name: String)
  case dropped
}

/// A message of the page whose body has not been looked at.
struct Message: Sendable {
  let name: String
  let hasBody: Bool
  private let text: Data

  fileprivate init(name: String, hasBody: Bool, text: Data) {
    self.name = name
    self.hasBody = hasBody
    self.text = text
  }

  /// - Throws: `message-invalid` if the body is of another form.
  func body<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
    guard hasBody, let whole = try? JSONDecoder.ofContract.decode(WithBody<Body>.self, from: text) else {
      throw SvcError(.messageInvalid, "\(name): a body of another form")
    }
    return whole.body
  }
}

private struct WithBody<Body: Decodable>: Decodable { let body: Body }

/// What a body's type reads is not what the contract allows.
struct AnotherForm: Error {}

/// A value that the contract allows.
func checked<Value>(_ value: Value, _ isAllowed: (Value) -> Bool) throws -> Value {
  guard isAllowed(value) else { throw AnotherForm() }
  return value
}

/// Whether a text has this number of characters, and is all of the pattern.
func isText(_ text: String, _ length: ClosedRange<Int>, _ pattern: String = "") -> Bool {
  length ~= text.unicodeScalars.count
    && (pattern.isEmpty || text.range(of: pattern, options: .regularExpression) == text.startIndex..<text.endIndex)
}

/// The envelope of a message, whose members may be of any type.
private struct Envelope: Decodable {
  let version: Int?
  let session: String?
  let kind: String?
  let id: Int?
  let name: String?
  let hasBody: Bool

  private enum Member: String, CodingKey { case v, session, kind, id, name, body }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    version = try? members.decode(Int.self, forKey: .v)
    session = try? members.decode(String.self, forKey: .session)
    kind = try? members.decode(String.self, forKey: .kind)
    id = (try? members.decode(Int.self, forKey: .id)).flatMap { 1...MessageLimit.largestInteger ~= $0 ? $0 : nil }
    name = (try? members.decode(String.self, forKey: .name)).flatMap { Self.isName($0) ? $0 : nil }
    hasBody = (try? members.nestedContainer(keyedBy: Member.self, forKey: .body)) != nil
  }

  /// `group.word` or `word`, of letters, with a small one first.
  private static func isName(_ name: String) -> Bool {
    let words = name.split(separator: ".", omittingEmptySubsequences: false)
    return name.utf8.count <= 64 && 1...2 ~= words.count
      && words.allSatisfy { word in
        word.utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 } == true
          && word.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 && $0 > 0x40 }
      }
  }
}

/// What is to be done with a text of the page. Requests come with an increasing id.
/// - Parameters:
///   - session: nil before the first `hello`.
///   - highestID: of the page's requests in this session; 0 before the first.
func readMessage(_ text: String, session: String?, highestID: Int) -> Received {
  guard text.utf8.count <= MessageLimit.bytes else { return .dropped }
  let data = Data(text.utf8)
  guard isShallow(data), let envelope = try? JSONDecoder().decode(Envelope.self, from: data),
    let from = envelope.session, Base64URL.decode(from)?.count == 16, let name = envelope.name
  else { return .dropped }
  let message = Message(name: name, hasBody: envelope.hasBody, text: data)
  if envelope.kind == "event", name == "hello" {
    guard envelope.version == 1, let hello = try? message.body(Hello.self), hello.session == from else { return .dropped }
    return .hello(session: from, message)
  }
  guard from == session else { return .dropped }
  if envelope.kind == "event" { return envelope.version == 1 && envelope.hasBody ? .event(message) : .dropped }
  guard let id = envelope.id else { return .dropped }
  if envelope.kind == "request" {
    guard envelope.version == 1 else { return .refused(.versionUnsupported, id: id, name: name) }
    guard id > highestID else { return .refused(.messageInvalid, id: id, name: name) }
    return .request(message, id: id)
  }
  guard envelope.version == 1 else { return .dropped }
  switch envelope.kind {
  case "answer": return .answer(message, id: id)
  case "failure":
    let failure = try? message.body(Failure.self)
    let error = failure.map { SvcError($0.code, $0.message) } ?? SvcError(.messageInvalid, "a failure of another form")
    return .failure(error, id: id, name: name)
  default: return .dropped
  }
}

/// Whether objects and arrays are nested at most ``MessageLimit/depth`` deep.
private func isShallow(_ text: Data) -> Bool {
  var depth = 0
  var isInText = false
  var isEscaped = false
  for byte in text {
    if isInText {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInText = false
      }
      continue
    }
    switch byte {
    case UInt8(ascii: "\""): isInText = true
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      if depth > MessageLimit.depth { return false }
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
  }
  return true
}

/// Bytes in messages: base64url (RFC 4648, 5) without padding, in the one form that encoding gives.
enum Base64URL {
  static func encode(_ bytes: Data) -> String {
    String(
      decoding: bytes.base64EncodedData().compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
      }, as: UTF8.self)
  }

  /// Nil for a text that ``encode(_:)`` does not give.
  static func decode(_ text: String) -> Data? {
    var standard: [UInt8] = []
    standard.reserveCapacity(text.utf8.count + 3)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      default: standard.append(byte)
      }
    }
    while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
    // Unused bits of the last letter must be zero.
    guard let bytes = Data(base64Encoded: Data(standard)), encode(bytes) == text else { return nil }
    return bytes
  }
}

extension JSONDecoder {
  /// Bytes are base64url.
  static var ofContract: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .custom { decoder in
      guard let bytes = Base64URL.decode(try decoder.singleValueContainer().decode(String.self)) else { throw AnotherForm() }
      return bytes
    }
    return decoder
  }
}

extension JSONEncoder {
  static var ofContract: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.dataEncodingStrategy = .custom { bytes, encoder in
      var value = encoder.singleValueContainer()
      try value.encode(Base64URL.encode(bytes))
    }
    return encoder
  }
}

/// Kinds of messages that a shell sends.
enum MessageKind: String, Encodable { case request, answer, failure }

/// Writes messages of the shell.
/// - Throws: `too-large`
func writeMessage(
  _ kind: MessageKind, _ name: String, id: Int, session: String, body: any Encodable & Sendable
) throws -> String {
  struct Outgoing: Encodable {
    let session: String
    let kind: MessageKind
    let id: Int
    let name: String
    let body: any Encodable

    enum Member: String, CodingKey { case v, session, kind, id, name, body }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Member.self)
      try members.encode(1, forKey: .v)
      try members.encode(session, forKey: .session)
      try members.encode(kind, forKey: .kind)
      try members.encode(id, forKey: .id)
      try members.encode(name, forKey: .name)
      try body.encode(to: members.superEncoder(forKey: .body))
    }
  }
  let text = try JSONEncoder.ofContract.encode(Outgoing(session: session, kind: kind, id: id, name: name, body: body))
  guard text.count <= MessageLimit.bytes else { throw SvcError(.tooLarge, "\(name): over 1 MiB") }
  return String(decoding: text, as: UTF8.self)
}

/// A body without members.
struct Empty: Codable, Sendable {}
