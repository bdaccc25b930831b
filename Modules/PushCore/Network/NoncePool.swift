#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Random bytes that were drawn ahead, for nonces alone: those are sent as they are, so they may lie in
/// memory before. Each byte is given out once, and overwritten then.
///
/// All of it is one page of memory that the kernel hands to a forked child as zeros, which is a mutex
/// that is free and a pool that is empty, whatever the parent's threads were doing.
///
/// A thread that doesn't get the mutex at once asks the source itself. Whatever is in the page is read
/// and written under the mutex alone: that is why `@unchecked Sendable` is safe.
final class NoncePool: @unchecked Sendable {
    /// What `getentropy` gives at once: 16 nonces of 16 bytes.
    static let size = 256

    /// The pool of this process; `nil` if the kernel can't keep it from a child.
    static let ofProcess = NoncePool { SystemRandom().fill($0) }

    /// Where the mutex is, then how many bytes lie ready, then those.
    private let page: UnsafeMutableRawPointer
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let ready: UnsafeMutablePointer<Int>
    private let source: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// What lies ready, and zeros after it.
    let bytes: UnsafeMutableRawBufferPointer

    private static let readyOffset = MemoryLayout<pthread_mutex_t>.stride
    private static let bytesOffset = readyOffset + MemoryLayout<Int>.stride
    private static let pageCount = bytesOffset + size

    /// Makes an empty pool, if the kernel can keep it from a child (Linux 4.14).
    init?(_ source: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
        guard let page = Self.page() else { return nil }
        self.page = page
        self.source = source
        // Zeros are a mutex that is free, and no bytes.
        mutex = page.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        ready = (page + Self.readyOffset).bindMemory(to: Int.self, capacity: 1)
        bytes = UnsafeMutableRawBufferPointer(start: page + Self.bytesOffset, count: Self.size)
    }

    deinit { munmap(page, Self.pageCount) }

    /// Memory that is zeros in a child, and in no dump of the process.
    private static func page() -> UnsafeMutableRawPointer? {
        let page = mmap(
            nil, pageCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let page, page != MAP_FAILED else { return nil }
        // An emulator that takes even advice that doesn't exist follows none.
        guard madvise(page, pageCount, MADV_WIPEONFORK) == 0, madvise(page, pageCount, -1) != 0
        else {
            munmap(page, pageCount)
            return nil
        }
        madvise(page, pageCount, MADV_DONTDUMP)
        return page
    }

    /// How many bytes lie ready.
    var count: Int { ready.pointee }

    /// Fills memory with bytes that nobody else gets, in this process or in a child.
    func fill(_ output: UnsafeMutableRawBufferPointer) {
        guard output.count <= Self.size, pthread_mutex_trylock(mutex) == 0 else {
            return source(output)
        }
        var count = ready.pointee
        if count < output.count {
            source(bytes)
            count = Self.size
        }
        let rest = count - output.count
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[rest..<count])
        output.copyMemory(from: UnsafeRawBufferPointer(part))
        part.zero()
        // Free it can only be in a child that was made since it was locked, as by a signal's handler:
        // then the parent has the bytes that were copied.
        let isChild = pthread_mutex_trylock(mutex) == 0
        ready.pointee = isChild ? 0 : rest
        pthread_mutex_unlock(mutex)
        if isChild { source(output) }
    }
}
#endif
