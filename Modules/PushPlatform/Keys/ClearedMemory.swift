import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Secret {
    /// Moves bytes out of ordinary memory: they are copied, and zeroed where they were.
    ///
    /// - Parameter bytes: Nobody else may have a copy of the value: `Data` and arrays share their
    ///   memory, and a shared one would be copied first, and the copy zeroed.
    init(taking bytes: inout Data) {
        self = bytes.withUnsafeMutableBytes(Self.move)
    }

    /// The same for an array.
    init(taking bytes: inout [UInt8]) {
        self = bytes.withUnsafeMutableBytes(Self.move)
    }

    private static func move(_ bytes: UnsafeMutableRawBufferPointer) -> Secret {
        let secret = Secret(UnsafeRawBufferPointer(bytes))
        clear(bytes)
        return secret
    }
}

extension [UInt8] {
    /// Zeroes what an array holds that nobody else has.
    mutating func clear() {
        withUnsafeMutableBytes(PushPlatform.clear)
    }
}

/// Zeroes memory, though it may be freed without being read again.
private func clear(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    #if canImport(Darwin)
    memset_s(start, bytes.count, 0, bytes.count)
    #else
    explicit_bzero(start, bytes.count)
    #endif
}
