import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

struct FileStoreOpeningTests {
    @Test(arguments: [0o755, 0o710, 0o707, 0o500])
    func `a directory with another mode is refused, and the reason says what to do`(
        mode: Int
    ) async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.open()
        try fixture.mode(mode, fixture.root)
        let error = try await refusal { _ = try await fixture.open() }
        #expect(error.code == .storage)
        #expect(error.reason.contains("chmod 700 \(fixture.root)"))
        try fixture.mode(0o700, fixture.root)
        _ = try await fixture.open()
    }

    @Test func `a file, a broken link and a path below a file are refused`() async throws {
        let fixture = try StoreFixture()
        try fixture.put([1], at: fixture.base + "/file")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.base + "/link", withDestinationPath: fixture.base + "/nothing")
        for name in ["file", "link", "file/store"] {
            let path = "\(fixture.base)/\(name)"
            let error = try await refusal {
                _ = try await FileStore(at: path, key: StoreFixture.key)
            }
            #expect(error.code == .storage)
            #expect(error.reason.contains(fixture.base))
        }
        for path in ["", "a\u{0}b"] {
            #expect(
                try await refusal { _ = try await FileStore(at: path, key: StoreFixture.key) }.code
                    == .invalidArgument)
        }
    }

    @Test func `a link to a directory of another user is refused, one to one's own is not`()
        async throws
    {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], .ada)
        let link = fixture.base + "/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: fixture.root)
        let store = try await FileStore(at: link, key: StoreFixture.key)
        #expect(try await store.bytes(.ada) == [1])
        // What only root can make, and everyone has, if this isn't root.
        if geteuid() == 0 {
            try FileManager.default.createDirectory(
                atPath: fixture.base + "/theirs", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            #expect(chown(fixture.base + "/theirs", 12345, 12345) == 0)
        }
        let theirs = geteuid() == 0 ? fixture.base + "/theirs" : "/"
        let other = fixture.base + "/other"
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: theirs)
        let error = try await refusal { _ = try await FileStore(at: other, key: StoreFixture.key) }
        #expect(error.code == .storage && error.reason.contains("another user"))
    }

    @Test func `missing parents are made`() async throws {
        let fixture = try StoreFixture()
        let path = fixture.base + "/a/b/store/"
        let store = try await FileStore(at: path, key: StoreFixture.key)
        try await store.put([1], .ada)
        #expect(try fixture.mode(fixture.base + "/a/b") == 0o700)
    }

    @Test func `a directory with files but no header is no new store`() async throws {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], .ada)
        try FileManager.default.removeItem(atPath: fixture.root + "/header")
        let before = try fixture.everything()
        let error = try await refusal { _ = try await fixture.open() }
        #expect(error.code == .storage && error.reason.contains("header"))
        #expect(try fixture.everything() == before)
    }

    @Test func `a lost header may be replaced by that of a new store under the same key`()
        async throws
    {
        let fixture = try StoreFixture()
        let other = try StoreFixture()
        try await fixture.open().put([1], .ada)
        _ = try await other.open()
        try fixture.put(
            try other.contents(other.root + "/header"), at: fixture.root + "/header")
        #expect(try await fixture.open().bytes(.ada) == [1])
    }

    @Test func `every flipped bit and every missing end of a header is a clear error`() async throws
    {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], .ada)
        let path = fixture.root + "/header"
        let whole = try fixture.contents(path)
        for index in 0..<whole.count * 8 {
            var bytes = whole
            bytes[index / 8] ^= 1 << (index % 8)
            try fixture.put(bytes, at: path)
            let error = try await refusal { _ = try await fixture.open() }
            #expect(error.code == .storage && error.reason.contains("damaged"))
        }
        for count in 0..<whole.count {
            try fixture.put(Array(whole.prefix(count)), at: path)
            let error = try await refusal { _ = try await fixture.open() }
            #expect(error.code == .storage && error.reason.contains("damaged"))
        }
        try fixture.put(whole, at: path)
        #expect(try await fixture.open().bytes(.ada) == [1])
    }

    @Test(arguments: ["0", "-1", "+1", "01"])
    func `a format that there never was is damage, however right the sum is`(
        format: String
    ) async throws {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], .ada)
        let path = fixture.root + "/header"
        let whole = String(decoding: try fixture.contents(path), as: UTF8.self)
        let text = String(whole.cut(at: "sum ").start)
            .replacing("file store 1\n", with: "file store \(format)\n")
        try fixture.put(Array("\(text)sum \(Self.sum(text))\n".utf8), at: path)
        let error = try await refusal { _ = try await fixture.open() }
        #expect(error.code == .storage && error.reason.contains("damaged"))
    }

    @Test func `a newer format is refused undamaged, and both versions are named`() async throws {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], .ada)
        let text = "push-auth file store 7\nunknown words\n"
        let header = text + "sum \(Self.sum(text))\n"
        try fixture.put(Array(header.utf8), at: fixture.root + "/header")
        let before = try fixture.everything()
        let error = try await refusal { _ = try await fixture.open() }
        #expect(error.code == .storage)
        #expect(error.reason.contains("format 7"))
        #expect(error.reason.contains("understands 1"))
        #expect(try fixture.everything() == before)
    }

    @Test func `a wrong key is named, with the one that the store was made with`() async throws {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], .ada)
        let ids = [
            try await StoreFixture.key(0).keys().id, try await StoreFixture.key(9).keys().id,
        ]
        let error = try await refusal { _ = try await fixture.open(StoreFixture.key(9)) }
        #expect(error.code == .storage)
        for id in ids { #expect(error.reason.contains(id)) }
    }

    @Test func `what a killed process left is cleared, unless someone is writing it`() async throws
    {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        let held = try await store.lock(of: .ada)
        let free = held.name == "0" ? "1" : "0"
        for name in [held.name, free] { try fixture.put([1], at: "\(fixture.root)/tmp/\(name)") }
        _ = try await fixture.open()
        #expect(
            try fixture.temporaries() == [held.name])
        store.disk.unlock(held.file)
        _ = try await fixture.open()
        #expect(try fixture.temporaries() == [])
    }

    @Test func `a store whose making stopped at any call can be opened`() async throws {
        for index in 0..<200 {
            let fixture = try StoreFixture()
            let faults = Faults()
            faults.begin(.stop(at: index))
            let error = await errorIfAny { _ = try await fixture.open(faults: faults) }
            try await fixture.open().put([1], .ada)
            #expect(try await fixture.open().bytes(.ada) == [1])
            guard let error else { return }
            #expect(error.code == .storage)
        }
        Issue.record("making a store never ended")
    }

    @Test func `of many who make one store at once all get it`() async throws {
        let fixture = try StoreFixture()
        let results = await withTaskGroup(of: PushError?.self) { group in
            for index in 0..<8 {
                group.addTask {
                    await errorIfAny {
                        try await fixture.open().put([1], RecordKey("acme", "\(index)"))
                    }
                }
            }
            return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
        }
        #expect(results.isEmpty, "\(results)")
        #expect(try await fixture.open().names(in: "acme").count == 8)
    }

    private static func sum(_ text: String) -> String { hex(sha256(text)) }
}
