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

/// A request of the page whose body has been checked.
struct PageRequest: Sendable {
  typealias Answer = any Encodable & Sendable
  private typealias Operation = @Sendable (PageServices) async throws -> Answer

  let name: String
  private let operation: Operation

  /// - Throws: `message-invalid`, `unknown-name`
  init(_ message: Message) throws {
    name = message.name
    operation = try Self.operation(for: message)
    guard message.hasBody else { throw Self.invalid("the request has no body") }
  }

  /// - Throws: ``SvcError``
  func carryOut(with services: PageServices) async throws -> Answer { try await operation(services) }

  private static func operation(for message: Message) throws -> Operation {
    switch message.name {
    case "keyStore.devicePublicKey":
      return { PublicKeyAnswer(publicKey: Base64URL.encode(try await $0.keys.devicePublicKey())) }
    case "keyStore.hasDeviceKey": return { HasAnswer(has: try await $0.keys.hasDeviceKey()) }
    case "keyStore.deleteDeviceKey": return done { try await $0.keys.deleteDeviceKey() }
    case "keyStore.mac":
      let content = try bytes(message.body(MacRequest.self).message, atMost: MessageLimit.contentBytes)
      return { MacAnswer(mac: Base64URL.encode(try await $0.keys.authenticationCode(of: content))) }
    case "keyStore.openListKeys":
      let body: OpenListKeysRequest = try message.body(nullable: "checkInSecret")
      guard body.epochs.count <= 255 else { throw invalid("too many epochs") }
      let epochs = try body.epochs.map { entry in
        (epoch: try number(entry.epoch, in: 0...Int(UInt32.max)), sealed: try sealed(entry.sealed))
      }
      let secret = try body.checkInSecret.map(sealed)
      return { try await $0.keys.openListKeys(epochs, checkInSecret: secret) }
    case "keyStore.listKeys":
      let generation = try generation(message)
      return { ListKeysAnswer(keys: try await $0.keys.listKeys(of: generation)) }
    case "keyStore.derive":
      let body: DeriveRequest = try message.body()
      let (handle, epoch) = (try handle(body.handle), try number(body.epoch, in: 0...Int(UInt32.max)))
      let (salt, info) = (try bytes(body.salt), try bytes(body.info))
      let count = try number(body.length, in: 1...KeyStore.derivedBytesLimit)
      return {
        let derived = try await $0.keys.derive(handle, epoch: epoch, salt: salt, info: info, count: count)
        return BytesAnswer(bytes: Base64URL.encode(derived))
      }
    case "keyStore.signCheckIn":
      let body: SignCheckInRequest = try message.body()
      let (handle, content) = (
        try handle(body.handle), try bytes(body.message, atMost: MessageLimit.chunkBytes)
      )
      return {
        SignCheckInAnswer(signature: try await $0.keys.signCheckIn(handle, message: content).map(Base64URL.encode))
      }
    case "keyStore.keepAs":
      let body: KeepAsRequest = try message.body()
      let (handle, generation) = (try handle(body.handle), try handle(body.generation))
      return done { try await $0.keys.keep(handle, as: generation) }
    case "keyStore.release":
      let handle = try handle(message.body(HandleRequest.self).handle)
      return done { await $0.keys.release(handle) }
    case "keyStore.deleteListKeys":
      let generation = try generation(message)
      return done { try await $0.keys.deleteListKeys(of: generation) }
    case "keyStore.listKeyGenerations":
      return { GenerationsAnswer(generations: try await $0.keys.listKeyGenerations()) }
    case "keyStore.deriveFromAdmissionKey":
      let body: DeriveFromAdmissionKeyRequest = try message.body()
      let (salt, info) = (try bytes(body.salt), try bytes(body.info))
      let count = try number(body.length, in: 1...KeyStore.derivedBytesLimit)
      return {
        let derived = try await $0.keys.deriveFromAdmissionKey(salt: salt, info: info, count: count)
        return BytesAnswer(bytes: Base64URL.encode(derived))
      }
    case "keyStore.hasAdmissionKey": return { HasAnswer(has: try await $0.keys.hasAdmissionKey()) }
    case "keyStore.deleteAdmissionKey": return done { try await $0.keys.deleteAdmissionKey() }
    case "packStore.readState":
      return { ReadStateAnswer(state: try await $0.packs.readState().map(Base64URL.encode)) }
    case "packStore.writeState":
      let state = try bytes(message.body(WriteStateRequest.self).state, atMost: MessageLimit.contentBytes)
      return done { try await $0.packs.writeState(state) }
    case "packStore.beginPack":
      let generation = try generation(message)
      return { Upload(upload: try await $0.packs.beginPack(generation)) }
    case "packStore.appendPack":
      let body: AppendPackRequest = try message.body()
      let (upload, offset) = (
        try handle(body.upload), try number(body.offset, in: 0...MessageLimit.largestInteger)
      )
      let chunk = try bytes(body.chunk, atMost: MessageLimit.chunkBytes)
      return done { try await $0.packs.appendPack(upload, offset: offset, chunk: chunk) }
    case "packStore.commitPack":
      let upload = try handle(message.body(Upload.self).upload)
      return done { try await $0.packs.commitPack(upload) }
    case "packStore.abandonPack":
      let upload = try handle(message.body(Upload.self).upload)
      return done { try await $0.packs.abandonPack(upload) }
    case "packStore.openPack":
      let generation = try generation(message)
      return {
        let pack = try await $0.packs.openPack(generation)
        return OpenPackAnswer(pack: pack.map { OpenedPack(handle: $0.handle, byteLength: $0.byteLength) })
      }
    case "packStore.readPack":
      let body: ReadPackRequest = try message.body()
      let (handle, offset) = (
        try handle(body.handle), try number(body.offset, in: 0...MessageLimit.largestInteger)
      )
      let count = try number(body.length, in: 0...MessageLimit.chunkBytes)
      return {
        BytesAnswer(bytes: Base64URL.encode(try await $0.packs.readPack(handle, offset: offset, count: count)))
      }
    case "packStore.closePack":
      let handle = try handle(message.body(HandleRequest.self).handle)
      return done { await $0.packs.closePack(handle) }
    case "packStore.deletePack":
      let generation = try generation(message)
      return done { try await $0.packs.deletePack(generation) }
    case "packStore.listPacks": return { GenerationsAnswer(generations: try await $0.packs.listPacks()) }
    case "packStore.readPage":
      let page = try page(message.body(LogPageRequest.self).page)
      return { ReadLogPageAnswer(content: try await $0.packs.readPage(page).map(Base64URL.encode)) }
    case "packStore.writePage":
      let body: WriteLogPageRequest = try message.body()
      let (page, content) = (try page(body.page), try bytes(body.content, atMost: MessageLimit.contentBytes))
      return done { try await $0.packs.writePage(page, content) }
    case "packStore.deletePage":
      let page = try page(message.body(LogPageRequest.self).page)
      return done { try await $0.packs.deletePage(page) }
    case "packStore.listPages": return { LogPagesAnswer(pages: try await $0.packs.listPages()) }
    case "transport.begin":
      let body: TransportBeginRequest = try message.body()
      let transfer = try handle(body.transfer)
      let request = try TransportRequest(body)
      return { try await $0.transport.begin(transfer, request) }
    case "transport.read":
      let transfer = try handle(message.body(TransferRequest.self).transfer)
      return { try await $0.transport.read(transfer) }
    case "transport.cancel":
      let transfer = try handle(message.body(TransferRequest.self).transfer)
      return done { await $0.transport.cancel(transfer) }
    case "camera.requestPermission": return { CameraPermissionAnswer(permission: await $0.requestCamera()) }
    case "guard.set":
      let eraseAtMs = try message.body(GuardRequest.self, nullable: "eraseAtMs").eraseAtMs
      let range = -MessageLimit.largestInteger...MessageLimit.largestInteger
      let checked = try eraseAtMs.map { try number($0, in: range) }
      return done { try $0.eraseGuard.set(checked) }
    default: throw SvcError(.unknownName, "no such request")
    }
  }

  /// Work without an answer but an empty body.
  private static func done(_ work: @escaping @Sendable (PageServices) async throws -> Void) -> Operation {
    return {
      try await work($0)
      return Empty()
    }
  }

  // MARK: Checks

  private static func invalid(_ what: String) -> SvcError { SvcError(.messageInvalid, what) }

  private static func number(_ number: Int, in range: ClosedRange<Int>) throws -> Int {
    guard range ~= number else { throw invalid("a number out of its range") }
    return number
  }

  private static func handle(_ number: Int) throws -> Int {
    try self.number(number, in: 1...MessageLimit.largestInteger)
  }

  private static func page(_ number: Int) throws -> Int { try self.number(number, in: 1...Int(UInt32.max)) }

  private static func generation(_ message: Message) throws -> Int {
    try handle(message.body(GenerationRequest.self).generation)
  }

  static func bytes(_ text: String, atMost limit: Int = MessageLimit.shortBytes) throws -> Data {
    guard let bytes = Base64URL.decode(text), bytes.count <= limit else { throw invalid("bytes are not base64url") }
    return bytes
  }

  private static func sealed(_ sealed: SealedSecret) throws -> SealedBytes {
    SealedBytes(
      encapsulated: try bytes(sealed.enc), ciphertext: try bytes(sealed.ciphertext), info: try bytes(sealed.info))
  }
}
