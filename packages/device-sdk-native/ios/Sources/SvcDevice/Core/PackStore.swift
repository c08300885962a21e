import Foundation

/// Sealed packs, the state record, and the sealed pages of the log of admissions, in files.
actor PackStore {
  static let packs = "packs"
  static let pages = "pages"
  static let uploads = "uploads"

  private let folder: DeviceFolder
  private var uploads: [Int: Upload] = [:]
  private var readers: [Int: Reader] = [:]
  private var lastHandle = 0

  private struct Upload {
    let generation: Int
    let file: URL
    let handle: FileHandle
    var length = 0
  }

  private struct Reader {
    let handle: FileHandle
    let length: Int
  }

  /// - Throws: `storage-failed`
  init(folder: DeviceFolder) throws {
    self.folder = folder
    // Of uploads that a former process began.
    try folder.empty(Self.uploads)
  }

  // MARK: The state record

  func readState() throws -> Data? { try folder.read(folder.file("state")) }

  func writeState(_ state: Data) throws { try folder.replace(folder.file("state"), with: state) }

  // MARK: Packs

  func beginPack(_ generation: Int) throws -> Int {
    lastHandle += 1
    let file = try folder.folder(Self.uploads).appendingPathComponent(String(lastHandle))
    let handle = try inStorage {
      try Data().write(to: file)
      return try FileHandle(forWritingTo: file)
    }
    uploads[lastHandle] = Upload(generation: generation, file: file, handle: handle)
    return lastHandle
  }

  /// - Throws: `message-invalid` unless `offset` is the length so far.
  func appendPack(_ upload: Int, offset: Int, chunk: Data) throws {
    guard var held = uploads[upload], offset == held.length else {
      throw SvcError(.messageInvalid, "the chunk does not follow the one before")
    }
    try inStorage { try held.handle.write(contentsOf: chunk) }
    held.length += chunk.count
    uploads[upload] = held
  }

  /// Atomic, and durable once it returns; replaces an earlier pack of the generation.
  func commitPack(_ upload: Int) throws {
    guard let held = uploads.removeValue(forKey: upload) else {
      throw SvcError(.messageInvalid, "there is no such upload")
    }
    defer { try? held.handle.close() }
    do {
      try inStorage { try folder.synchronise(held.handle.fileDescriptor) }
      try folder.move(held.file, to: pack(held.generation))
    } catch {
      try? folder.delete(held.file)
      throw error
    }
  }

  /// Idempotent.
  func abandonPack(_ upload: Int) throws {
    guard let held = uploads.removeValue(forKey: upload) else { return }
    try? held.handle.close()
    try folder.delete(held.file)
  }

  /// Nil if there is none.
  func openPack(_ generation: Int) throws -> OpenedPack? {
    let file = try pack(generation)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let reader = try inStorage {
      let handle = try FileHandle(forReadingFrom: file)
      return Reader(handle: handle, length: Int(try handle.seekToEnd()))
    }
    lastHandle += 1
    readers[lastHandle] = reader
    return OpenedPack(handle: lastHandle, byteLength: reader.length)
  }

  /// Exactly `count` bytes.
  /// - Throws: `storage-failed` beyond the end of the pack and after ``closePack(_:)``.
  func readPack(_ handle: Int, offset: Int, count: Int) throws -> Data {
    guard let reader = readers[handle] else { throw SvcError(.storageFailed, "the pack was closed") }
    guard offset <= reader.length - count else { throw SvcError(.storageFailed, "the pack ends before") }
    guard count > 0 else { return Data() }
    return try inStorage {
      try reader.handle.seek(toOffset: UInt64(offset))
      var bytes = Data(capacity: count)
      while bytes.count < count {
        guard let more = try reader.handle.read(upToCount: count - bytes.count), !more.isEmpty else {
          throw SvcError(.storageFailed, "the pack ends before")
        }
        bytes.append(more)
      }
      return bytes
    }
  }

  /// Idempotent.
  func closePack(_ handle: Int) { try? readers.removeValue(forKey: handle)?.handle.close() }

  func deletePack(_ generation: Int) throws { try folder.delete(pack(generation)) }

  func listPacks() throws -> [Int] { try folder.numbers(in: folder.folder(Self.packs)) }

  // MARK: Pages of the log of admissions

  func readPage(_ page: Int) throws -> Data? { try folder.read(self.page(page)) }

  func writePage(_ page: Int, _ content: Data) throws { try folder.replace(self.page(page), with: content) }

  func deletePage(_ page: Int) throws { try folder.delete(self.page(page)) }

  func listPages() throws -> [Int] { try folder.numbers(in: folder.folder(Self.pages)) }

  // MARK: Sessions

  /// Closes packs and abandons uploads of a page that is gone.
  func releaseAll() {
    for handle in Array(readers.keys) { closePack(handle) }
    for upload in Array(uploads.keys) { try? abandonPack(upload) }
  }

  private func pack(_ generation: Int) throws -> URL {
    try folder.folder(Self.packs).appendingPathComponent(String(generation))
  }

  private func page(_ page: Int) throws -> URL {
    try folder.folder(Self.pages).appendingPathComponent(String(page))
  }
}
