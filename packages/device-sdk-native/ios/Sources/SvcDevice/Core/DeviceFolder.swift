import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The device's folder. Files are replaced whole: written aside, synchronised, renamed, and the folder synchronised.
struct DeviceFolder: Sendable {
  let url: URL

  /// Makes the folder if it is missing.
  /// - Parameter protect: sets the platform's protection, which what is made inside inherits: encrypted until the first
  ///   unlock, and in no backup. Each time, because an earlier process may have ended between the two.
  /// - Throws: `storage-failed`
  init(at url: URL, protect: (URL) throws -> Void = { _ in }) throws {
    self.url = url
    try make(url)
    try inStorage { try protect(url) }
  }

  func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

  /// A folder inside, made if it is missing.
  func folder(_ name: String) throws -> URL {
    let folder = url.appendingPathComponent(name, isDirectory: true)
    try make(folder)
    return folder
  }

  /// Nil if there is no such file.
  func read(_ file: URL) throws -> Data? {
    try inStorage {
      do {
        return try Data(contentsOf: file)
      } catch CocoaError.fileReadNoSuchFile {
        return nil
      }
    }
  }

  func replace(_ file: URL, with content: Data) throws {
    try inStorage {
      let part = file.appendingPathExtension("part")
      try content.write(to: part)
      let handle = try FileHandle(forUpdating: part)
      defer { try? handle.close() }
      try synchronise(handle.fileDescriptor)
      try move(part, to: file)
    }
  }

  /// Renames over `target`; durable once it returns. The content must be synchronised already.
  func move(_ source: URL, to target: URL) throws {
    try inStorage {
      guard rename(source.path, target.path) == 0 else { throw POSIXError(errno) }
      try synchroniseFolder(target.deletingLastPathComponent())
    }
  }

  /// Idempotent.
  func delete(_ file: URL) throws {
    try inStorage {
      guard unlink(file.path) == 0 || errno == ENOENT else { throw POSIXError(errno) }
      try synchroniseFolder(file.deletingLastPathComponent())
    }
  }

  /// Numbers that files of a folder are named with.
  func numbers(in folder: URL) throws -> [Int] {
    try inStorage { try FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap { Int($0) } }
  }

  /// Deletes everything inside a folder of this one.
  func empty(_ name: String) throws {
    let folder = try folder(name)
    try inStorage {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
      try synchroniseFolder(folder)
    }
  }

  /// Writes what a file's descriptor has written to the medium.
  func synchronise(_ descriptor: Int32) throws {
    #if canImport(Darwin)
      // `fsync` leaves the data in the drive's cache there. Some volumes only know `fsync`.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw POSIXError(errno) }
  }

  private func synchroniseFolder(_ folder: URL) throws {
    let descriptor = open(folder.path, O_RDONLY)
    guard descriptor >= 0 else { throw POSIXError(errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw POSIXError(errno) }
  }

  private func make(_ folder: URL) throws {
    try inStorage {
      guard !FileManager.default.fileExists(atPath: folder.path) else { return }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
  }
}

extension POSIXError {
  fileprivate init(_ number: Int32) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }
}

/// Makes every failure but a ``SvcError`` `storage-failed`, without its text, which could name a path.
func inStorage<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SvcError {
    throw error
  } catch {
    throw SvcError(.storageFailed, "the device's storage failed (\((error as NSError).domain) \((error as NSError).code))")
  }
}
