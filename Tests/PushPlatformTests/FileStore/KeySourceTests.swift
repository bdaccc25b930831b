import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

struct KeySourceTests {
    private let hexadecimal = Hexadecimal.text(StoreFixture.bytes)

    @Test func `a new key file opens a store, and is never written over`() async throws {
        let fixture = try StoreFixture()
        let path = fixture.base + "/key"
        let made = try await FileStore.KeySource.newFile(path)
        #expect(try fixture.mode(path) == 0o600)
        #expect(try await made.keys().id == FileStore.KeySource.file(path).keys().id)
        let before = try fixture.contents(path)
        #expect(
            try await refusal { _ = try await FileStore.KeySource.newFile(path) }.code == .storage)
        #expect(try fixture.contents(path) == before)
        let other = try await FileStore.KeySource.newFile(fixture.base + "/other")
        #expect(try await other.keys().id != made.keys().id)
        try await fixture.open(.file(path)).put([1], .ada)
        #expect(try await fixture.open(.file(path)).bytes(.ada) == [1])
    }

    @Test func `a key file that is there is taken as it is, and one that is missing is made`()
        async throws
    {
        let fixture = try StoreFixture()
        let path = fixture.base + "/key"
        let made = try await FileStore.KeySource.newFile(path, ifMissing: true)
        #expect(try fixture.mode(path) == 0o600)
        let before = try fixture.contents(path)
        let again = try await FileStore.KeySource.newFile(path, ifMissing: true)
        #expect(try await again.keys().id == made.keys().id)
        #expect(try fixture.contents(path) == before)
        // What is no key is no reason to make another one in its place.
        try fixture.put([1, 2, 3], at: path)
        let damaged = try await FileStore.KeySource.newFile(path, ifMissing: true)
        #expect(try await refusal { _ = try await damaged.keys() }.code == .invalidArgument)
        #expect(try fixture.contents(path) == [1, 2, 3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.base) == ["key"])
    }

    @Test func `of many that make one key file at once, one does, and all read its key`()
        async throws
    {
        let fixture = try StoreFixture()
        for round in 0..<32 {
            let path = "\(fixture.base)/key\(round)"
            let ids = try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await FileStore.KeySource.newFile(path, ifMissing: true).keys().id
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            let made = await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        (try? await FileStore.KeySource.newFile(path + "new")) != nil ? 1 : 0
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(made == 1)
        }
        // No draft of a key stays.
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.base).count == 64)
    }

    @Test func `a key file holds 32 bytes or 64 digits, and a line end`() async throws {
        let fixture = try StoreFixture()
        let id = try await StoreFixture.key.keys().id
        let path = fixture.base + "/key"
        for end in ["", "\n", "\r\n"] {
            try fixture.put(Array((hexadecimal.uppercased() + end).utf8), at: path)
            #expect(try await FileStore.KeySource.file(path).keys().id == id)
        }
        try fixture.put(StoreFixture.bytes, at: path)
        #expect(try await FileStore.KeySource.file(path).keys().id == id)
    }

    @Test(arguments: [0, 1, 31, 33, 63, 65, 128])
    func `a key file of another length is refused by what was found`(count: Int) async throws {
        let fixture = try StoreFixture()
        let path = fixture.base + "/key"
        try fixture.put(Array(repeating: UInt8(ascii: "7"), count: count), at: path)
        let error = try await refusal { _ = try await FileStore.KeySource.file(path).keys() }
        #expect(error.code == .invalidArgument)
        #expect(error.reason.contains("\(count) bytes"))
    }

    @Test func `64 characters that are no digits are refused`() async throws {
        let fixture = try StoreFixture()
        let path = fixture.base + "/key"
        try fixture.put(Array(repeating: UInt8(ascii: "g"), count: 64), at: path)
        #expect(
            try await refusal { _ = try await FileStore.KeySource.file(path).keys() }.code
                == .invalidArgument)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o666])
    func `a key file that others may use is refused, and the reason says what to do`(
        mode: Int
    ) async throws {
        let fixture = try StoreFixture()
        let path = fixture.base + "/key"
        _ = try await FileStore.KeySource.newFile(path)
        try fixture.mode(mode, path)
        let error = try await refusal { _ = try await FileStore.KeySource.file(path).keys() }
        #expect(error.code == .storage && error.reason.contains("chmod 600 \(path)"))
        #expect(
            try await refusal { _ = try await FileStore.KeySource.file(path + "x").keys() }.code
                == .storage)
    }

    @Test func `a folder or a device holds no key, and nobody is told to change its mode`()
        async throws
    {
        let fixture = try StoreFixture()
        for path in [fixture.base, "/dev/null"] {
            let error = try await refusal { _ = try await FileStore.KeySource.file(path).keys() }
            #expect(error.code == .storage && error.reason.contains("\(path) is no file"))
        }
    }

    @Test func `a variable holds 64 digits or base64, and anything else is refused`() async throws {
        let name = "PUSH_AUTH_TEST_KEY_\(UInt32.random(in: 0...UInt32.max))"
        let source = FileStore.KeySource.environment(name)
        #expect(try await refusal { _ = try await source.keys() }.code == .invalidArgument)
        let id = try await StoreFixture.key.keys().id
        for text in [hexadecimal, Data(StoreFixture.bytes).base64EncodedString()] {
            setenv(name, text, 1)
            #expect(try await source.keys().id == id)
        }
        for text in ["", String(hexadecimal.dropLast()), "not a key"] {
            setenv(name, text, 1)
            let error = try await refusal { _ = try await source.keys() }
            #expect(error.code == .invalidArgument && error.reason.contains(name))
            #expect(error.reason.contains("\(text.count) characters"))
        }
        unsetenv(name)
    }

    @Test func `a closure's key of wrong length and its failure are told apart`() async throws {
        struct Down: Error {}
        let fixture = try StoreFixture()
        for count in [0, 16, 31, 33, 64] {
            let source = FileStore.KeySource { Secret(count: count) { _ in } }
            let error = try await refusal { _ = try await fixture.open(source) }
            #expect(error.code == .invalidArgument)
            #expect(error.reason.contains("\(count)"))
        }
        let error = try await refusal { _ = try await fixture.open(.init { throw Down() }) }
        #expect(error.code == .storage && error.underlying is Down)
        #expect(!FileManager.default.fileExists(atPath: fixture.root))
    }
}
