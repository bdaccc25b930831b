import Foundation
import PushCore

@testable import PushPlatform

/// A directory for one test's store, and keys for it.
final class StoreFixture: Sendable {
    let base: String
    let root: String

    init() throws {
        // In memory where that can be, for what is tested would wait for the disk all the time.
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        let base = parent.appendingPathComponent("filestore-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        self.base = base.path
        root = base.path + "/store"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: base)
    }

    static let bytes = Array<UInt8>(0..<32)
    static let key = key(0)

    static func key(_ number: UInt8) -> FileStore.KeySource {
        FileStore.KeySource { Secret(bytes.map { $0 ^ number }) }
    }

    func open(
        _ key: FileStore.KeySource = StoreFixture.key, previous: [FileStore.KeySource] = [],
        faults: Faults? = nil, patience: Duration = .seconds(10)
    ) async throws(PushError) -> FileStore {
        try await FileStore(
            at: root, key: key, previous: previous,
            disk: faults?.disk ?? Disk(),
            patience: patience)
    }

    func path(
        of key: RecordKey, _ source: FileStore.KeySource = StoreFixture.key
    ) async throws -> String {
        let place = try FileStore.Place(key, try await source.keys())
        return "\(root)/\(place.folder)/\(place.file)"
    }

    func contents(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func put(_ bytes: [UInt8], at path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try mode(0o600, path)
    }

    func mode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// What is in the folder for temporary files.
    func temporaries() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/tmp")
    }

    /// All files below the store's directory, by their path in it, with their bytes.
    func everything() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? [] {
            files[path] = FileManager.default.contents(atPath: "\(root)/\(path)") ?? Data()
        }
        return files
    }
}

/// Counts a store's system calls, and makes some of them fail.
///
/// `@unchecked Sendable` is safe, as every access holds the lock.
final class Faults: @unchecked Sendable {
    enum Plan {
        case none
        /// One call fails.
        case fail(at: Int, Int32)
        /// One write puts half its bytes down, and fails.
        case short(at: Int, Int32)
        /// Nothing happens from a call on, as if the process had been killed there.
        case stop(at: Int)
        /// Calls of one kind fail.
        case every(Disk.Call, Int32)
    }

    private let lock = NSLock()
    private var plan = Plan.none
    private var seen: [(call: Disk.Call, path: String)] = []

    func begin(_ plan: Plan) {
        lock.withLock {
            self.plan = plan
            seen = []
        }
    }

    var disk: Disk { Disk { self.fault($0, $1) } }

    var calls: [(call: Disk.Call, path: String)] { lock.withLock { seen } }

    func fault(_ call: Disk.Call, _ path: String) -> Disk.Fault? {
        lock.withLock {
            let index = seen.count
            seen.append((call, path))
            switch plan {
            case .none: return nil
            case .fail(index, let code): return .errno(code)
            case .short(index, let code): return .short(code)
            case .stop(let first) where index >= first:
                return index == first && call == .write ? .short(EIO) : .errno(EIO)
            case .every(call, let code): return .errno(code)
            default: return nil
            }
        }
    }
}

/// The error that something may throw; `nil` if it doesn't.
func errorIfAny<Value>(_ body: () async throws -> Value) async -> PushError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PushError
    }
}

extension FileStore {
    func bytes(_ key: RecordKey) async throws(PushError) -> [UInt8]? {
        try await read(key)?.value.withBytes { Array($0) }
    }

    func put(_ bytes: [UInt8]?, _ key: RecordKey) async throws(PushError) {
        let revision = try await read(key)?.revision
        try await write(bytes.map { Secret($0) }, for: key, replacing: revision)
    }
}

extension RecordKey {
    static let ada = RecordKey("claim/acme", "ada")
    static let bob = RecordKey("claim/acme", "bob")
    static let long = RecordKey("claim/acme", String(repeating: "long", count: 100))
}
