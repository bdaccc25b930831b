import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

struct FileStoreDamageTests {
    @Test(arguments: [RecordKey.ada, .long])
    func `every flipped bit of a record is found, and its neighbors stay readable`(
        key: RecordKey
    ) async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1, 2, 3], key)
        try await store.put([4], .bob)
        let path = try await fixture.path(of: key)
        let whole = try fixture.contents(path)
        for index in 0..<whole.count * 8 {
            var bytes = whole
            bytes[index / 8] ^= 1 << (index % 8)
            try fixture.put(bytes, at: path)
            #expect(try await refusal { _ = try await store.read(key) }.code == .malformed)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        #expect(try await store.bytes(.bob) == [4])
        #expect(try await refusal { _ = try await store.read(key) }.code == .malformed)
    }

    @Test func `a record cut at any length is found`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1, 2, 3], .ada)
        let path = try await fixture.path(of: .ada)
        let whole = try fixture.contents(path)
        for count in 0..<whole.count {
            try fixture.put(Array(whole.prefix(count)), at: path)
            #expect(try await refusal { _ = try await store.read(.ada) }.code == .malformed)
        }
        try fixture.put(whole + [0], at: path)
        #expect(try await refusal { _ = try await store.read(.ada) }.code == .malformed)
    }

    @Test(arguments: [RecordKey.ada, .long])
    func `a damaged record is named and refused, after reopening too, until it is discarded`(
        key: RecordKey
    ) async throws {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], key)
        let path = try await fixture.path(of: key)
        var bytes = try fixture.contents(path)
        bytes[bytes.count - 1] ^= 1
        try fixture.put(bytes, at: path)
        for _ in 0..<2 {
            let store = try await fixture.open()
            let error = try await refusal { _ = try await store.read(key) }
            #expect(error.code == .malformed)
            #expect(error.reason.contains((path as NSString).lastPathComponent))
            #expect(try await store.names(in: key.collection) == [key.name])
            for value in [Secret([2]), nil] {
                #expect(
                    try await refusal { try await store.write(value, for: key, replacing: nil) }
                        .code
                        == .malformed)
            }
        }
        let store = try await fixture.open()
        try await store.discard(key)
        try await store.discard(key)
        #expect(try await store.read(key) == nil)
        #expect(try await store.names(in: key.collection) == [])
        try await store.write(Secret([3]), for: key, replacing: nil)
        #expect(try await store.bytes(key) == [3])
        #expect(try fixture.everything().values.contains(Data(bytes)))
    }

    @Test func `a writer that finds the damage first refuses and sets it aside as well`()
        async throws
    {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        let path = try await fixture.path(of: .ada)
        try fixture.put([], at: path)
        #expect(
            try await refusal { try await store.write(Secret([2]), for: .ada, replacing: nil) }.code
                == .malformed)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await refusal { _ = try await store.read(.ada) }.code == .malformed)
    }

    @Test func `a record found damaged where nothing can be moved is still refused`() async throws {
        let fixture = try StoreFixture()
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        try await store.put([1], .ada)
        try fixture.put([], at: try await fixture.path(of: .ada))
        faults.begin(.every(.rename, EROFS))
        #expect(try await refusal { _ = try await store.read(.ada) }.code == .malformed)
        #expect(try await refusal { try await store.discard(.ada) }.code == .storage)
        #expect(try await refusal { _ = try await store.read(.ada) }.code == .malformed)
    }

    @Test func `a file under another record's name is damaged`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        try await store.put([2], .bob)
        try fixture.put(
            try fixture.contents(try await fixture.path(of: .ada)),
            at: try await fixture.path(of: .bob))
        #expect(try await refusal { _ = try await store.read(.bob) }.code == .malformed)
        #expect(try await store.bytes(.ada) == [1])
    }

    @Test func `a record of a newer format is refused and stays where it is`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        let path = try await fixture.path(of: .ada)
        var bytes = try fixture.contents(path)
        (bytes[4], bytes[5]) = (2, ~2)
        try fixture.put(bytes, at: path)
        for error in [
            try await refusal { _ = try await store.read(.ada) },
            try await refusal { try await store.write(nil, for: .ada, replacing: nil) },
            try await refusal { try await store.discard(.ada) },
        ] {
            #expect(error.code == .storage && error.reason.contains("format 2"))
        }
        #expect(try fixture.contents(path) == bytes)
    }

    @Test func `a folder or a pipe in a record's place is an error, not damage`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .bob)
        let path = try await fixture.path(of: .ada)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try await refusal { _ = try await store.read(.ada) }.code == .storage)
        unlink(path)
        #expect(mkdir(path, 0o700) == 0)
        #expect(try await refusal { _ = try await store.read(.ada) }.code == .storage)
        #expect(try await store.bytes(.bob) == [1])
    }

    @Test func `a foreign file isn't a record`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        let folder = (try await fixture.path(of: .ada) as NSString).deletingLastPathComponent
        for name in ["notes.txt", "r.AAAA", "h.AAAA", ".hidden"] {
            try fixture.put([1], at: "\(folder)/\(name)")
        }
        #expect(try await store.names(in: "claim/acme") == ["ada"])
    }
}
