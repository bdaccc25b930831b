import Foundation
import PushCore
import Testing

@testable import PushPlatform

/// Where a value's plaintext is while the store seals and opens it, and what is left of it.
struct FileStoreMemoryTests {
    @Test func `what is opened is taken out of ordinary memory, which is zeroed where it was`() {
        for count in [0, 1, 14, 15, 32, 4096] {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) }
            var data = Data(plain)
            let secret = Secret(taking: &data)
            #expect(secret.withBytes { Array($0) } == plain)
            #expect(data == Data(count: count))
            var array = plain.map { $0 }
            let before = array.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            #expect(Secret(taking: &array).withBytes { Array($0) } == plain)
            #expect(array == [UInt8](repeating: 0, count: count))
            #expect(array.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == before)
        }
    }

    #if os(Linux)
    @Test func `once a record was written, read and let go, its value is nowhere in memory`()
        async throws
    {
        let fixture = try StoreFixture()
        let canary = Canary()
        let held = canary.value()
        #expect(try canary.count() > 0)  // The search finds what is there.
        try await fixture.open().write(held, for: .ada, replacing: nil)
        try await reread(fixture, canary)
        _ = consume held
        #expect(try canary.count() == 0)
    }

    /// In a function of its own, so that nothing here outlives it.
    private func reread(_ fixture: StoreFixture, _ canary: Canary) async throws {
        let value = try await fixture.open().read(.ada)?.value
        #expect(value.map(canary.matches) == true)
    }
    #endif
}

#if os(Linux)
/// A value that nobody else has, searched for in this process's memory.
///
/// It is kept under a mask, so that the search doesn't find what it searches with.
private struct Canary {
    private static let length = 4096
    private static let mask: UInt8 = 0x5A
    private typealias Search =
        @convention(c) (
            UnsafeRawPointer?, Int, UnsafeRawPointer?, Int
        ) -> UnsafeMutableRawPointer?
    private let masked: [UInt8]

    init() {
        masked = SystemRandom().bytes(Self.length).withBytes { $0.map { $0 ^ Self.mask } }
    }

    func value() -> Secret {
        Secret(count: Self.length) { buffer in
            for index in masked.indices { buffer[index] = masked[index] ^ Self.mask }
        }
    }

    func matches(_ value: Secret) -> Bool {
        value.withBytes { $0.elementsEqual(masked.lazy.map { $0 ^ Self.mask }) }
    }

    /// How many times one of its pieces is in memory that can be written. What is freed may be
    /// written over in part, so several pieces are looked for, each by itself.
    func count() throws -> Int {
        let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let lines = String(decoding: try maps.readToEnd() ?? Data(), as: UTF8.self)
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        let needle = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 16)
        defer {
            for buffer in [window, needle] {
                if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
                buffer.deallocate()
            }
        }
        // GNU's own, which the C library's module leaves out.
        let memmem = unsafeBitCast(try #require(dlsym(nil, "memmem")), to: Search.self)
        var found = 0
        for line in lines.split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
            var place = ends[0]
            while place < ends[1] {
                let count = pread(
                    memory, window.baseAddress, min(window.count, Int(ends[1] - place)),
                    Int(place))
                guard count > 0 else { break }
                found += search(window, count, at: place, for: needle, with: memmem)
                place += UInt64(count)
            }
        }
        return found
    }

    private func search(
        _ window: UnsafeMutableRawBufferPointer, _ count: Int, at place: UInt64,
        for needle: UnsafeMutableRawBufferPointer, with memmem: Search
    ) -> Int {
        var found = 0
        for start in stride(from: 512, to: Self.length, by: 1024) {
            for index in 0..<32 { needle[index] = masked[start + index] ^ Self.mask }
            var rest = 0
            while rest < count,
                let hit = memmem(
                    window.baseAddress?.advanced(by: rest), count - rest, needle.baseAddress, 32),
                let offset = window.baseAddress?.distance(to: hit)
            {
                let address = place + UInt64(offset)
                if !isOwn(address, window) && !isOwn(address, needle) { found += 1 }
                rest = offset + 1
            }
            needle.initializeMemory(as: UInt8.self, repeating: 0)
        }
        return found
    }

    private func isOwn(_ address: UInt64, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard let start = buffer.baseAddress else { return false }
        let first = UInt64(UInt(bitPattern: start))
        return first..<first + UInt64(buffer.count) ~= address
    }
}
#endif
