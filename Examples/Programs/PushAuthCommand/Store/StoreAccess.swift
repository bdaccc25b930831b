import Foundation
import PushCore
import PushPlatform
import PushSealing

/// Opens the store with the key that there is.
struct StoreAccess {
    let options: GlobalOptions
    let places: Places
    let location: StoreLocation
    private let settings: Configuration.Store

    /// - Throws: `Failure` if the store's URL can't be used.
    init(
        options: GlobalOptions, configuration: Configuration, places: Places = Places()
    ) throws(Failure) {
        self.options = options
        self.places = places
        settings = configuration.store
        location =
            if let named = options.store ?? settings.url {
                try StoreLocation(named)
            } else {
                .directory(places.store)
            }
    }

    /// The store's records: of a fleet, those of all devices.
    ///
    /// - Parameters:
    ///   - makesShared: Whether to make a store that machines share where there is none. If not, a
    ///     misspelt tenant can't look like an empty store.
    ///   - onSettled: Hears what became of a write whose reply was lost.
    /// - Returns: The records.
    /// - Throws: `Failure` that says which file, variable or server is at fault.
    func open(
        makingShared makesShared: Bool = false,
        onSettled: (@Sendable (SettledWrite) -> Void)? = nil
    ) async throws(Failure) -> any CredentialStore {
        if case .directory(let directory) = location, options.store != nil || settings.url != nil,
            !options.makesStore, !FileManager.default.fileExists(atPath: directory)
        {
            throw Failure(
                .store, "There is no store at \(directory).",
                advice:
                    "Look whether it is spelt right. `pushauth enroll` and `pushauth listen` make one."
            )
        }
        do throws(PushError) {
            if case .directory(let directory) = location {
                let source = try await keySource(for: directory)
                return try await FileStore(at: directory, key: source)
            }
        } catch {
            throw failure(error)
        }
        return try await sealed(makingShared: makesShared, onSettled: onSettled)
    }

    /// A store that machines share, which the key opens, and the next one where the configuration names it.
    ///
    /// - Throws: `Failure`, as ``open(makingShared:onSettled:)``.
    func sealed(
        makingShared makesShared: Bool = false,
        onSettled: (@Sendable (SettledWrite) -> Void)? = nil
    ) async throws(Failure) -> SealedStore {
        let engine = try await engine(onSettled)
        guard let source = sharedKeySource else {
            throw Failure(
                .store, "There is no key for the store that machines share.",
                advice:
                    "Each machine needs the same one: `(umask 077; openssl rand -hex 32 > FILE)` "
                    + "makes it, --key-file FILE names it.")
        }
        do throws(PushError) {
            if !makesShared, try await engine.read(Self.header) == nil {
                throw PushError(
                    .storage, "There is no store of the tenant '\(location.tenant ?? "")' yet.",
                    underlying: Advice(
                        "Look whether the tenant is right in \(location.text). "
                            + "`pushauth fleet init` makes a new one."))
            }
            let others = settings.nextKeyFile.map { [KeySource.file($0)] } ?? []
            return try await SealedStore(
                engine, key: source, others: others, tenant: location.tenant ?? "")
        } catch {
            throw failure(error)
        }
    }

    /// What a sealed store has in the engine before anything else (docs/sealed-store.md).
    private static let header = RecordKey("store", "header")

    /// What keeps the sealed records.
    ///
    /// - Throws: `Failure` if it can't be reached or used.
    func engine(
        _ onSettled: (@Sendable (SettledWrite) -> Void)? = nil
    ) async throws(Failure) -> any CredentialStore {
        do throws(PushError) {
            switch location {
            case .directory: throw PushError(.invalidArgument, "A directory is no server.")
            case .etcd(let place):
                return try EtcdAccess(place, settings, places).store(onSettled: onSettled)
            case .postgres(let place):
                return try await PostgresAccess(place, settings, places).store(onSettled: onSettled)
            }
        } catch {
            throw failure(error)
        }
    }

    func failure(_ error: PushError) -> Failure {
        if let failure = error.underlying as? Failure { return failure }
        return Failure(
            .store, error.reason,
            advice: (error.underlying as? Advice)?.text
                ?? "The store is \(location.text). `pushauth doctor` looks at it.")
    }

    /// Where the key is, or will be: what was named wins; then the environment, a systemd
    /// credential, and the file beside the store.
    enum KeyPlace {
        case file(String)
        case variable(String)
        /// Of a store that machines share: a file that one of them made would be of no use to the others.
        case missing
    }

    var keyPlace: KeyPlace {
        if let file = options.keyFile { return .file(file) }
        if places.environment["PUSHAUTH_KEY"] != nil { return .variable("PUSHAUTH_KEY") }
        if let credential = places.systemdCredential("pushauth.key") { return .file(credential) }
        guard case .directory = location else { return .missing }
        return .file(ownKeyFile)
    }

    private var sharedKeySource: KeySource? {
        switch keyPlace {
        case .file(let file): .file(file)
        case .variable(let name): .environment(name)
        case .missing: nil
        }
    }

    private var ownKeyFile: String { options.store.map { $0 + ".key" } ?? places.keyFile }

    /// The file beside the store is made where there is no store yet.
    private func keySource(for directory: String) async throws(PushError) -> KeySource {
        guard case .file(let file) = keyPlace else { return .environment("PUSHAUTH_KEY") }
        let isThere = [file, directory].contains { FileManager.default.fileExists(atPath: $0) }
        guard file == ownKeyFile, options.keyFile == nil, !isThere else { return .file(file) }
        try makeDirectory(of: file)
        return try await .newFile(file, ifMissing: true)
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
