import Foundation
import PushCore
import PushPlatform

/// Opens the store with the key that there is.
struct StoreAccess {
    let options: GlobalOptions
    let places: Places

    var directory: String { options.store ?? places.store }

    /// - Throws: `Failure` that says which file or variable is at fault.
    func open() async throws(Failure) -> FileStore {
        do throws(PushError) {
            let source = try await keySource()
            return try await FileStore(at: directory, key: source)
        } catch {
            throw Failure(
                .store, error.reason,
                advice: "The store is \(directory). `pushauth doctor` looks at it.")
        }
    }

    /// Where the key is, or will be: what was named wins; then the environment, a systemd
    /// credential, and the file beside the store.
    enum KeyPlace {
        case file(String)
        case variable(String)
    }

    var keyPlace: KeyPlace {
        if let file = options.keyFile { return .file(file) }
        if places.environment["PUSHAUTH_KEY"] != nil { return .variable("PUSHAUTH_KEY") }
        if let credential = places.systemdCredential("pushauth.key") { return .file(credential) }
        return .file(ownKeyFile)
    }

    private var ownKeyFile: String { options.store.map { $0 + ".key" } ?? places.keyFile }

    /// The file beside the store is made where there is no store yet.
    private func keySource() async throws(PushError) -> FileStore.KeySource {
        switch keyPlace {
        case .variable(let name): return .environment(name)
        case .file(let file):
            let isThere = [file, directory].contains { FileManager.default.fileExists(atPath: $0) }
            guard file == ownKeyFile, options.keyFile == nil, !isThere else { return .file(file) }
            try makeDirectory(of: file)
            return try await .newFile(file)
        }
    }

    private func makeDirectory(of file: String) throws(PushError) {
        let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw PushError(.storage, "The directory \(directory.path) can't be made.")
        }
    }
}
