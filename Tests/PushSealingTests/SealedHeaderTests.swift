import Crypto
import Foundation
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import PushSealing

/// The header in the hands of somebody who may write in the store behind, without keys or with one that
/// leaked.
struct SealedHeaderTests {
    private let base = InMemoryStore()
    private let clock = ManualClock(.init(timeIntervalSince1970: 0))
    private let row = RecordKey("row", "a")

    private func open(
        _ key: UInt8, _ others: [UInt8] = []
    ) async throws(PushError) -> SealedStore {
        try await SealedStore.opened(
            over: base, key: key, others: others, headerAge: .zero,
            clock: { [clock] in clock.elapsed })
    }

    private func keys(_ number: UInt8) async throws(PushError) -> StoreKeys {
        try await Sample.key(number).keys(for: .records)
    }

    /// The lines that stand between the first and the sum, changed, under a sum that is right.
    private func forge(_ change: ([[String]]) -> [[String]]) async throws(PushError) {
        let lines = SummedLines(title: "push-auth sealed store ", format: 1)
        guard let bytes = try await base.bytes(SealedHeader.key),
            case .whole(let words) = lines.read(bytes)
        else { return }
        let text = lines.text(change(words.map { $0.map { String($0) } }))
        try await base.force(Array(text.utf8), at: SealedHeader.key)
    }

    private func header(_ keys: UInt8..., generation: UInt64) async throws -> [UInt8] {
        var known: [StoreKeys] = []
        for number in keys { known.append(try await self.keys(number)) }
        let names = try await self.keys(0).nameRoot
        return try SealedHeader(generation: generation, known, keeping: names, for: "acme").value
            .withBytes { Array($0) }
    }

    @Test func `lines that were swapped make a change of keys fail, not end early`() async throws {
        let one = try await open(0, [1])
        try await one.write(Secret([5]), for: row, replacing: nil)
        let error = try await refusal {
            try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in
                try await forge { [$0[0], $0[2], $0[1], $0[4], $0[3]] }
            }
        }
        #expect(error.code == .storage && error.reason.contains("damaged"))
        #expect(try await refusal { try await open(0, [1]) }.code == .storage)
        // Put right, the next call does it.
        try await forge { [$0[0], $0[2], $0[1], $0[4], $0[3]] }
        try await open(1, [0]).rotate(to: Sample.key(1)) { () async throws(PushError) in }
        #expect(try await open(1).bytes(row) == [5])
    }

    @Test func `of changes to two keys at once the one that isn't done fails`() async throws {
        let (one, other) = (try await open(0, [1, 2]), try await open(0, [1, 2]))
        try await one.write(Secret([5]), for: row, replacing: nil)
        let error = try await refusal {
            try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in
                try await other.rotate(to: Sample.key(2)) { () async throws(PushError) in }
            }
        }
        #expect(error.code == .storage)
        #expect(error.reason.contains(try await keys(2).id))
        #expect(try await open(2).bytes(row) == [5])
        #expect(try await refusal { try await open(1) }.code == .storage)
    }

    @Test func `a header of before is noticed, and a change of keys says that it isn't done`()
        async throws
    {
        let one = try await open(0, [1])
        try await one.write(Secret([5]), for: row, replacing: nil)
        let before = try #require(try await base.bytes(SealedHeader.key))
        let error = try await refusal {
            try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in
                try await base.force(before, at: SealedHeader.key)
            }
        }
        #expect(error.code == .storage && error.reason.contains("went back from generation 2 to 1"))
        #expect(try await refusal { try await one.read(row) }.code == .storage)
    }

    @Test func `whoever has the key that was given up can't bring it back`() async throws {
        let one = try await open(0, [1])
        try await one.write(Secret([5]), for: row, replacing: nil)
        try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in }
        try await base.force(try await header(0, generation: 9), at: SealedHeader.key)
        let error = try await refusal {
            try await one.write(Secret([6]), for: RecordKey("row", "b"), replacing: nil)
        }
        #expect(error.code == .storage && error.reason.contains("gave up"))
        // One that has the new key alone was never in danger.
        #expect(try await refusal { try await open(1) }.code == .storage)
    }

    @Test func `keys can be changed back, by a header that the current key vouches for`()
        async throws
    {
        let (one, other) = (try await open(0, [1]), try await open(0, [1]))
        try await one.write(Secret([5]), for: row, replacing: nil)
        for number: UInt8 in [1, 0] {
            try await one.rotate(to: Sample.key(number)) { () async throws(PushError) in
                _ = try await other.read(row)
            }
        }
        #expect(try await other.bytes(row) == [5])
        #expect(try await open(0).bytes(row) == [5])
    }

    @Test(arguments: ["nobody", "another key", "another tenant", "another generation"])
    func `a header that its keys don't vouch for is refused`(by whom: String) async throws {
        _ = try await open(0, [1])
        let other = try #require(
            try SealedHeader(
                generation: 1, [try await keys(1)], keeping: try await keys(1).nameRoot, for: "acme"
            ).value.withBytes { String(validUTF8: $0) })
        let mac = other.split(separator: "\n").first { $0.hasPrefix("mac ") }?
            .split(separator: " ").last
        let foreign = String(try #require(mac))
        try await forge { lines in
            var lines = lines
            switch whom {
            case "nobody": lines.removeLast()
            case "another key": lines[2][2] = foreign
            case "another generation": lines[0][1] = "2"
            default: break
            }
            return lines
        }
        let tenant = whom == "another tenant" ? "acne" : "acme"
        let error = try await refusal { try await SealedStore.opened(over: base, tenant: tenant) }
        #expect(error.code == .storage && error.reason.contains("damaged"))
    }

    @Test(arguments: [
        ("store 1\n", "store 0\n"), ("store 1\n", "store -1\n"), ("store 1\n", "store 01\n"),
        ("generation 1\n", "generation +1\n"), ("generation 1\n", "generation 01\n"),
        ("generation 1\n", "generation  1\n"), ("generation 1\n", "\ngeneration 1\n"),
    ])
    func `a header in other words than a store writes is damaged, however right its sum is`(
        word: String, other: String
    ) async throws {
        let bytes = try await header(0, generation: 1)
        let text = try #require(String(validUTF8: bytes))
        let head = String(text.cut(at: "sum ").start).replacing(word, with: other)
        let sum = SHA256.hash(data: Data(head.utf8)).withUnsafeBytes { Hexadecimal.text($0) }
        let error = try await refusal { () async throws(PushError) in
            try SealedHeader(reading: Secret("\(head)sum \(sum)\n".utf8))
        }
        #expect(error.code == .storage && error.reason.contains("damaged"))
        #expect(try SealedHeader(reading: Secret(bytes)).generation == 1)
    }

    @Test func `equal values are sealed under other keys each time`() async throws {
        let keys = try await keys(0)
        let boxes = try (0..<100).map { _ throws(PushError) in
            try keys.seal(Secret([1, 2, 3]), binding: [])
        }
        #expect(Set(boxes.map { Array($0.prefix(24)) }).count == 100)
        #expect(boxes.allSatisfy { $0.count == 3 + StoreKeys.overhead })
        // Another salt is another key.
        var box = boxes[0]
        box[23] ^= 1
        #expect(keys.open(box, binding: []) == nil)
        #expect(keys.open(boxes[0].prefix(StoreKeys.overhead - 1), binding: []) == nil)
        #expect(keys.open(boxes[0], binding: [])?.withBytes { Array($0) } == [1, 2, 3])
    }
}
