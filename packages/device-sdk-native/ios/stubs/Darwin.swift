// Stub for type checks on Linux: what the shell uses of Darwin and Glibc does not have.
@_exported import Glibc

public let F_FULLFSYNC: Int32 = 51

public func memset_s(_ s: UnsafeMutableRawPointer!, _ smax: Int, _ c: Int32, _ n: Int) -> Int32 { fatalError() }
