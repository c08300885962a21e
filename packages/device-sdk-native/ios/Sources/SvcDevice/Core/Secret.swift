import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A key, in memory of its own that is overwritten when the last reference goes.
///
/// It never changes after it was made, so that it can be shared between actors.
final class Secret: @unchecked Sendable, ContiguousBytes {
  private let memory: UnsafeMutableRawBufferPointer

  /// `fill` writes all `count` bytes; the memory is zero before.
  init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    memory = .allocate(byteCount: count, alignment: MemoryLayout<UInt64>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    // A throwing initialiser of a class whose properties are all set runs `deinit`.
    try fill(memory)
  }

  convenience init(copying bytes: some ContiguousBytes) {
    self.init(parts: [bytes])
  }

  /// The parts one after another.
  convenience init(parts: [any ContiguousBytes]) {
    let count = parts.reduce(0) { sum, part in sum + part.withUnsafeBytes(\.count) }
    self.init(count: count) { memory in
      var rest = memory[...]
      for part in parts {
        part.withUnsafeBytes { bytes in
          UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: bytes)
          rest = rest.dropFirst(bytes.count)
        }
      }
    }
  }

  /// Fresh bytes of the system's cryptographically secure generator.
  static func random(count: Int) -> Secret {
    var generator = SystemRandomNumberGenerator()
    return Secret(count: count) { memory in
      for index in memory.indices { memory[index] = UInt8.random(in: .min ... .max, using: &generator) }
    }
  }

  deinit {
    if let address = memory.baseAddress {
      // Unlike `memset`, these are not left out as the last write before the memory is freed.
      #if canImport(Darwin)
        _ = memset_s(address, memory.count, 0, memory.count)
      #else
        explicit_bzero(address, memory.count)
      #endif
    }
    memory.deallocate()
  }

  var count: Int { memory.count }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// A copy of `range` as a secret of its own.
  func slice(_ range: Range<Int>) -> Secret {
    Secret(count: range.count) { copy in
      copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range]))
    }
  }

  /// A copy that nobody wipes: only for bytes that are no longer secret to the receiver.
  var data: Data { Data(memory) }
}
