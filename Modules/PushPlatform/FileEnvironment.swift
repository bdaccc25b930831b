public import PushCore

extension PushEnvironment {
    /// An environment that keeps all in files and has the system's network, for servers, command
    /// lines and first programs. An app for Apple's systems makes its own, with a `KeychainStore`.
    ///
    /// The store is a ``FileStore``, and its key is in a file beside the directory, of its name and
    /// `.key`. Both are made if there is no store yet. Whoever has both reads the store: keep no
    /// backup of the two together. Plain HTTP goes to this machine alone, such as to a simulator.
    ///
    /// - Parameters:
    ///   - directory: The store's directory. The one that it is in must be there.
    ///   - device: What a vendor may be told about this device.
    ///   - user: The app's way to prove the user.
    /// - Returns: The environment.
    /// - Throws: `PushError` with the code `storage` if there is a store without its key, or the
    ///   two can't be made or used.
    @concurrent
    public static func files(
        in directory: String, device: Device, user: any UserVerifier
    ) async throws(PushError) -> PushEnvironment {
        let root = try StoreDirectory.absolute(directory)
        var key = KeySource.file(root + ".key")
        // Another key would open no store that is there, and only hide that its own is lost.
        if try Disk().status(of: Keyring.path(in: root)) == nil {
            key = try await .newFile(root + ".key", ifMissing: true)
        }
        return PushEnvironment(
            transport: SystemTransport(.init(plainHTTP: .loopbackOnly)),
            store: try await FileStore(at: root, key: key), verifier: user, device: device)
    }
}
