#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A source of random bytes. Tests use a repeatable one.
public protocol RandomSource: Sendable {
    /// Fills memory with unpredictable bytes.
    func fill(_ buffer: UnsafeMutableRawBufferPointer)

    /// Fills memory with unpredictable bytes that are sent as they are, such as a nonce. Don't use
    /// it for keys, for other secrets, or for anything that must be unknown until it is sent.
    ///
    /// The bytes may have been drawn ahead. The default draws them as all others.
    func fill(nonce buffer: UnsafeMutableRawBufferPointer)
}

extension RandomSource {
    /// Fills memory with unpredictable bytes that are sent as they are, as ``fill(_:)`` does.
    public func fill(nonce buffer: UnsafeMutableRawBufferPointer) { fill(buffer) }

    /// Unpredictable bytes.
    public func bytes(_ count: Int) -> Secret {
        Secret(count: count) { fill($0) }
    }

    /// 64 random bits, from 8 bytes, most significant first.
    package func bits() -> UInt64 {
        bytes(8).withBytes { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    /// An index below a bound, which is at least 1 and far below 2⁶⁴.
    package func index(below bound: Int) -> Int { Int(bits() % UInt64(bound)) }

    /// A random UUID (RFC 9562, version 4) in upper case, as Apple's systems write it.
    public func uuid() -> String {
        var bytes = bytes(16).withBytes { Array($0) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
            .map { Hexadecimal.text(Array(bytes[$0]), upperCase: true) }.joined(separator: "-")
    }
}

/// The system's cryptographically secure generator.
public struct SystemRandom: RandomSource {
    /// Creates a source.
    public init() {}

    /// Fills memory with unpredictable bytes.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let address = buffer.baseAddress else { return }
        #if canImport(Darwin)
        arc4random_buf(address, buffer.count)
        #else
        // The standard library's generator asks the system for eight bytes at a time.
        for start in stride(from: 0, to: buffer.count, by: Self.most) {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[start..<min(start + Self.most, buffer.count)])
            if getentropy(address + start, part.count) != 0 { fillByWords(part) }
        }
        #endif
    }

    #if !canImport(Darwin)
    /// Fills memory with bytes that were drawn ahead. Each byte is given out once, also if this
    /// process forks.
    public func fill(nonce buffer: UnsafeMutableRawBufferPointer) {
        guard let pool = NoncePool.ofProcess else { return fill(buffer) }
        pool.fill(buffer)
    }

    /// What `getentropy` gives at once (POSIX.1-2024).
    private static let most = 256

    /// For a system that refuses the call. The generator ends the process if it gets nothing, too.
    private func fillByWords(_ buffer: UnsafeMutableRawBufferPointer) {
        var generator = SystemRandomNumberGenerator()
        for start in stride(from: 0, to: buffer.count, by: 8) {
            withUnsafeBytes(of: generator.next() as UInt64) { word in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
                rest.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: word.prefix(rest.count)))
            }
        }
    }
    #endif
}
