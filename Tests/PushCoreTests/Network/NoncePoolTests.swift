#if canImport(Glibc)
import Dispatch
import Foundation
import Glibc
import PushTesting
import Testing

@testable import PushCore

/// Nonces that were drawn ahead, and what a forked child has of them: nothing.
///
/// One after the other, as a child holds the pipes of all tests that run beside it.
@Suite(.serialized) struct NoncePoolTests {
    @Test func `a child draws its own, and its parent goes on with what it has`() throws {
        let source = NumberedSource()
        let pool = try #require(NoncePool { source.fill($0) })
        #expect(pool.drawn() == Block(process: getpid(), number: 15))
        let childs = try blocks(16) { output in
            for index in 0..<16 { output[index] = pool.drawn() }
        }
        #expect(childs.allSatisfy { $0.process != getpid() && $0.process != 0 })
        #expect(Set(childs).count == 16)
        let parents = (0..<15).map { _ in pool.drawn() }
        #expect(parents == (0..<15).reversed().map { Block(process: getpid(), number: $0) })
        #expect(pool.count == 0)
    }

    @Test func `a child that is made while another thread draws has a pool all the same`() throws {
        let (drawing, mayGoOn, isDone) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let (source, parent) = (NumberedSource(), getpid())
        let pool = try #require(
            NoncePool { bytes in
                source.fill(bytes)
                guard getpid() == parent, bytes.count == NoncePool.size else { return }
                drawing.signal()
                mayGoOn.wait()
            })
        Thread.detachNewThread {
            _ = pool.drawn()
            isDone.signal()
        }
        drawing.wait()
        // The thread has the mutex, so another one asks the source.
        #expect(pool.drawn().process == parent)
        #expect(pool.count == 0)
        let childs = try blocks(2) { output in
            output[0] = pool.drawn()
            output[1].number = pool.count
        }
        mayGoOn.signal()
        isDone.wait()
        #expect(childs[0].process != parent && childs[0].process != 0)
        #expect(childs[1].number == NoncePool.size - 16)
        #expect(pool.count == NoncePool.size - 16)
    }

    @Test func `a child that is made in the middle of a draw gives out nothing of its parent's`()
        throws
    {
        let source = NumberedSource()
        let fork = try Fork()
        let made = Locked<Int32?>(nil)
        let pool = try #require(
            NoncePool { bytes in
                source.fill(bytes)
                // As a signal's handler might, once.
                let isFirst = made.withLock { $0 == nil }
                guard isFirst else { return }
                let child = fork.call()
                made.withLock { $0 = child }
            })
        let (first, second) = (pool.drawn(), pool.drawn())
        let child = try #require(made.withLock { $0 })
        if child == 0 { fork.end(saying: [first, second]) }
        let childs = try fork.blocks(2, of: child)
        #expect(first == Block(process: getpid(), number: 15))
        #expect(second == Block(process: getpid(), number: 14))
        #expect(childs.allSatisfy { $0.process == Int(child) })
        #expect(childs[0] != childs[1])
    }

    @Test func `threads that draw at once get bytes of their own, whole ones`() throws {
        let source = NumberedSource()
        let pool = try #require(NoncePool { source.fill($0) })
        let drawn = Locked<[Block]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let own = (0..<2000).map { _ in pool.drawn() }
            drawn.withLock { $0 += own }
        }
        let all = drawn.withLock { $0 }
        #expect(Set(all).count == 16_000)
        #expect(all.allSatisfy { $0.process == getpid() })
    }

    @Test func `what was given out is overwritten`() throws {
        let pool = try #require(NoncePool { $0.copyBytes(from: (0..<$0.count).map { _ in 0xA5 }) })
        for count in [16, 1, 0, 100, 139, 16, 240] {
            var bytes = [UInt8](repeating: 0, count: count)
            bytes.withUnsafeMutableBytes { pool.fill($0) }
            #expect(bytes.allSatisfy { $0 == 0xA5 })
            #expect(pool.bytes[pool.count...].allSatisfy { $0 == 0 })
        }
        #expect(pool.count == 0)
    }

    @Test func `a child's nonces from the system aren't its parent's`() throws {
        let system = SystemRandom()
        func drawn() -> Block {
            var block = Block()
            withUnsafeMutableBytes(of: &block) { system.fill(nonce: $0) }
            return block
        }
        let before = drawn()
        let childs = try blocks(40) { output in
            for index in 0..<40 { output[index] = drawn() }
        }
        let parents = (0..<40).map { _ in drawn() }
        #expect(Set(childs + parents + [before]).count == 81)
    }
}

/// 16 bytes that say who drew them.
private struct Block: Hashable {
    var process = 0
    var number = 0

    init() {}

    init(process: Int32, number: Int) {
        self.process = Int(process)
        self.number = number
    }
}

/// Counts the blocks that it fills.
private struct NumberedSource: Sendable {
    private let next = Locked(0)

    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        let blocks = bytes.bindMemory(to: Block.self)
        let first = next.withLock { next in
            defer { next += blocks.count }
            return next
        }
        for index in blocks.indices {
            blocks[index] = Block(process: getpid(), number: first + index)
        }
    }
}

extension NoncePool {
    fileprivate func drawn() -> Block {
        var block = Block()
        withUnsafeMutableBytes(of: &block) { fill($0) }
        return block
    }
}

/// What a child says that does nothing else.
private func blocks(
    _ count: Int, _ body: (UnsafeMutableBufferPointer<Block>) -> Void
) throws -> [Block] {
    let fork = try Fork()
    let output = UnsafeMutableBufferPointer<Block>.allocate(capacity: count)
    output.initialize(repeating: Block())
    defer { output.deallocate() }
    let child = fork.call()
    if child == 0 {
        body(output)
        fork.end(saying: output)
    }
    return try fork.blocks(count, of: child)
}

/// A pipe from a child that isn't made yet.
private struct Fork: Sendable {
    private typealias Function = @convention(c) () -> Int32

    private let function: Function
    private let reading: Int32
    private let writing: Int32

    init() throws {
        // Swift calls it unavailable.
        function = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Function.self)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    func call() -> Int32 {
        let child = function()
        // A child that hangs is ended, and its test fails.
        if child == 0 { alarm(60) }
        return child
    }

    /// Ends the child, as no code of the parent's may run in it.
    func end(saying blocks: some Collection<Block>) -> Never {
        for block in blocks {
            _ = withUnsafeBytes(of: block) { write(writing, $0.baseAddress, $0.count) }
        }
        _exit(0)
    }

    /// Waits for what the child says, and for its end.
    func blocks(_ count: Int, of child: Int32) throws -> [Block] {
        close(writing)
        defer {
            close(reading)
            waitpid(child, nil, 0)
        }
        return try (0..<count).map { _ in
            var block = Block()
            let read = withUnsafeMutableBytes(of: &block) {
                Glibc.read(reading, $0.baseAddress, $0.count)
            }
            try #require(read == 16)
            return block
        }
    }
}
#endif
