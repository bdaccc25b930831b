#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Bytes that can't be printed, encoded, hashed or compared by accident.
///
/// It prints, dumps and mirrors as `<secret>`. Copies share one buffer, which is zeroed just before
/// it is freed. Whoever copies bytes out, such as into a `String`, must clear the copy.
public struct Secret: Sendable {
    private let storage: Storage

    /// Creates a secret by copying bytes.
    @inlinable
    public init(_ bytes: some Collection<UInt8>) {
        let copy = bytes.withContiguousStorageIfAvailable {
            Secret(copying: UnsafeRawBufferPointer($0))
        }
        self = copy ?? Secret(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Creates a secret by copying a text, in UTF-8. Nothing clears the text itself.
    public init(copying text: some StringProtocol) {
        self.init(text.utf8)
    }

    /// Creates a secret by copying lent bytes.
    @usableFromInline
    package init(copying bytes: UnsafeRawBufferPointer) {
        storage = Storage(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// Creates a secret by filling new zeroed memory in place, so that no other copy exists.
    ///
    /// - Parameters:
    ///   - count: How many bytes.
    ///   - body: Writes them.
    public init(count: Int, filling body: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = Storage(count: count, body)
    }

    /// Creates a secret whose memory a test looks at after zeroing, just before it is freed.
    package init(
        _ bytes: some Collection<UInt8>,
        willFree: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
    ) {
        storage = Storage(count: bytes.count, willFree: willFree) { $0.copyBytes(from: bytes) }
    }

    /// How many bytes it holds.
    public var count: Int { storage.buffer.count }

    /// Lends the bytes. Don't let the pointer escape the closure.
    ///
    /// - Throws: What `body` throws.
    @inlinable
    public func withBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // Where this is inlined, nothing else may need the secret until `body` returns.
        defer { withExtendedLifetime(self) {} }
        return try body(lent)
    }

    @usableFromInline var lent: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage.buffer) }

    /// A copy of the bytes as text, which nothing clears. Invalid UTF-8 becomes `U+FFFD`.
    public func copiedText() -> String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether two secrets hold the same bytes. The time depends on their lengths alone.
    public func isEqualInConstantTime(to other: Secret) -> Bool {
        let (own, others) = (storage.buffer, other.storage.buffer)
        guard own.count == others.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<own.count { difference |= own[index] ^ others[index] }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<secret>`.
    public var description: String { "<secret>" }

    /// Always `<secret>`.
    public var debugDescription: String { "<secret>" }

    /// A mirror without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret {
    /// Written once by its initializer, before it is shared, and zeroed when the last copy goes:
    /// that, and no lock, is why `@unchecked Sendable` is safe here.
    private struct Storage: @unchecked Sendable {
        private let memory: ManagedBuffer<Header, Unit>

        init(
            count: Int, willFree: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil,
            _ fill: (UnsafeMutableRawBufferPointer) -> Void
        ) {
            let units = (count + MemoryLayout<Unit>.size - 1) / MemoryLayout<Unit>.size
            memory = Memory.create(minimumCapacity: units) { _ in
                Header(count: count, willFree: willFree)
            }
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            fill(buffer)
        }

        var buffer: UnsafeMutableRawBufferPointer { memory.bytes }
    }

    fileprivate typealias Unit = SIMD2<UInt64>

    fileprivate struct Header {
        let count: Int
        let willFree: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    }

    private final class Memory: ManagedBuffer<Header, Unit> {
        deinit {
            bytes.zero()
            header.willFree?(UnsafeRawBufferPointer(bytes))
        }
    }
}

extension ManagedBuffer<Secret.Header, Secret.Unit> {
    fileprivate var bytes: UnsafeMutableRawBufferPointer {
        withUnsafeMutablePointers { header, units in
            UnsafeMutableRawBufferPointer(start: units, count: header.pointee.count)
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Makes all bytes zero, even if nothing reads them afterwards.
    package func zero() {
        guard let baseAddress, count > 0 else { return }
        // A plain loop is a dead store to the optimizer; these are not.
        #if canImport(Darwin)
        memset_s(baseAddress, count, 0, count)
        #else
        explicit_bzero(baseAddress, count)
        #endif
    }
}
