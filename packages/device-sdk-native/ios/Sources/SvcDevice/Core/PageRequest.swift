import Foundation

/// What answers the page's requests.
struct PageServices: Sendable {
  let keys: KeyStore
  let packs: PackStore
  let transport: Transport
  let eraseGuard: EraseGuard
  let requestCamera: @Sendable () async -> CameraPermission

  /// Of a page that is gone: list keys in memory, open packs, unfinished uploads and transfers.
  func releaseAll() async {
    await keys.releaseAll()
    await packs.releaseAll()
    await transport.cancelAll()
  }
}

/// A request of the page whose body has been read.
struct PageRequest: Sendable {
  typealias Answer = any Encodable & Sendable
  private typealias Operation = @Sendable (PageServices) async throws -> Answer

  let name: String
  private let operation: Operation

  /// - Throws: `message-invalid`, `unknown-name`
  init(_ message: Message) throws {
    name = message.name
    operation = try Self.operation(for: message)
  }

  /// - Throws: ``SvcError``
  func carryOut(with services: PageServices) async throws -> Answer { try await operation(services) }

  private static func operation(for message: Message) throws -> Operation {
    switch message.name {
    case "keyStore.devicePublicKey":
      return try on(message, Empty.self) {
        PublicKeyAnswer(publicKey: Base64URL.encode(try await $1.keys.devicePublicKey()))
      }
    case "keyStore.hasDeviceKey":
      return try on(message, Empty.self) { HasAnswer(has: try await $1.keys.hasDeviceKey()) }
    case "keyStore.deleteDeviceKey":
      return try done(message, Empty.self) { try await $1.keys.deleteDeviceKey() }
    case "keyStore.mac":
      return try on(message, MacRequest.self) {
        MacAnswer(mac: Base64URL.encode(try await $1.keys.authenticationCode(of: $0.message)))
      }
    case "keyStore.openListKeys":
      return try on(message, OpenListKeysRequest.self) {
        try await $1.keys.openListKeys($0.epochs, checkInSecret: $0.checkInSecret)
      }
    case "keyStore.listKeys":
      return try on(message, GenerationRequest.self) {
        ListKeysAnswer(keys: try await $1.keys.listKeys(of: $0.generation))
      }
    case "keyStore.derive":
      return try on(message, DeriveRequest.self) {
        BytesAnswer(
          bytes: try await $1.keys.derive(
            $0.handle, epoch: $0.epoch, salt: $0.salt, info: $0.info, count: $0.length))
      }
    case "keyStore.signCheckIn":
      return try on(message, SignCheckInRequest.self) {
        let signature = try await $1.keys.signCheckIn($0.handle, message: $0.message)
        return SignCheckInAnswer(signature: signature.map(Base64URL.encode))
      }
    case "keyStore.keepAs":
      return try done(message, KeepAsRequest.self) { try await $1.keys.keep($0.handle, as: $0.generation) }
    case "keyStore.release":
      return try done(message, HandleRequest.self) { await $1.keys.release($0.handle) }
    case "keyStore.deleteListKeys":
      return try done(message, GenerationRequest.self) { try await $1.keys.deleteListKeys(of: $0.generation) }
    case "keyStore.listKeyGenerations":
      return try on(message, Empty.self) { GenerationsAnswer(generations: try await $1.keys.listKeyGenerations()) }
    case "keyStore.deriveFromAdmissionKey":
      return try on(message, DeriveFromAdmissionKeyRequest.self) {
        BytesAnswer(
          bytes: try await $1.keys.deriveFromAdmissionKey(salt: $0.salt, info: $0.info, count: $0.length))
      }
    case "keyStore.hasAdmissionKey":
      return try on(message, Empty.self) { HasAnswer(has: try await $1.keys.hasAdmissionKey()) }
    case "keyStore.deleteAdmissionKey":
      return try done(message, Empty.self) { try await $1.keys.deleteAdmissionKey() }
    case "packStore.readState":
      return try on(message, Empty.self) { ReadStateAnswer(state: try await $1.packs.readState()) }
    case "packStore.writeState":
      return try done(message, WriteStateRequest.self) { try await $1.packs.writeState($0.state) }
    case "packStore.beginPack":
      return try on(message, GenerationRequest.self) { Upload(upload: try await $1.packs.beginPack($0.generation)) }
    case "packStore.appendPack":
      return try done(message, AppendPackRequest.self) {
        try await $1.packs.appendPack($0.upload, offset: $0.offset, chunk: $0.chunk)
      }
    case "packStore.commitPack":
      return try done(message, Upload.self) { try await $1.packs.commitPack($0.upload) }
    case "packStore.abandonPack":
      return try done(message, Upload.self) { try await $1.packs.abandonPack($0.upload) }
    case "packStore.openPack":
      return try on(message, GenerationRequest.self) { OpenPackAnswer(pack: try await $1.packs.openPack($0.generation)) }
    case "packStore.readPack":
      return try on(message, ReadPackRequest.self) {
        BytesAnswer(bytes: try await $1.packs.readPack($0.handle, offset: $0.offset, count: $0.length))
      }
    case "packStore.closePack":
      return try done(message, HandleRequest.self) { await $1.packs.closePack($0.handle) }
    case "packStore.deletePack":
      return try done(message, GenerationRequest.self) { try await $1.packs.deletePack($0.generation) }
    case "packStore.listPacks":
      return try on(message, Empty.self) { GenerationsAnswer(generations: try await $1.packs.listPacks()) }
    case "packStore.readPage":
      return try on(message, LogPageRequest.self) { ReadLogPageAnswer(content: try await $1.packs.readPage($0.page)) }
    case "packStore.writePage":
      return try done(message, WriteLogPageRequest.self) { try await $1.packs.writePage($0.page, $0.content) }
    case "packStore.deletePage":
      return try done(message, LogPageRequest.self) { try await $1.packs.deletePage($0.page) }
    case "packStore.listPages":
      return try on(message, Empty.self) { LogPagesAnswer(pages: try await $1.packs.listPages()) }
    case "transport.begin":
      return try on(message, TransportBeginRequest.self) { try await $1.transport.begin($0) }
    case "transport.read":
      return try on(message, TransferRequest.self) { try await $1.transport.read($0.transfer) }
    case "transport.cancel":
      return try done(message, TransferRequest.self) { await $1.transport.cancel($0.transfer) }
    case "camera.requestPermission":
      return try on(message, Empty.self) { CameraPermissionAnswer(permission: await $1.requestCamera()) }
    case "guard.set":
      return try done(message, GuardRequest.self) { try $1.eraseGuard.set($0.eraseAtMs) }
    default: throw SvcError(.unknownName, "no such request")
    }
  }

  private static func on<Body: Decodable & Sendable>(
    _ message: Message, _: Body.Type, _ work: @escaping @Sendable (Body, PageServices) async throws -> Answer
  ) throws -> Operation {
    let body: Body = try message.body()
    return { try await work(body, $0) }
  }

  /// Work without an answer but an empty body.
  private static func done<Body: Decodable & Sendable>(
    _ message: Message, _: Body.Type, _ work: @escaping @Sendable (Body, PageServices) async throws -> Void
  ) throws -> Operation {
    try on(message, Body.self) {
      try await work($0, $1)
      return Empty()
    }
  }
}
