import ArgumentParser
public import PushCore

/// A store on servers, for other programs that take it by the same words as `pushauth --store`.
public enum ServerStore {
    /// Opens a store, and makes one where the tenant has none.
    ///
    /// - Parameters:
    ///   - url: `etcd://…` or `postgres://…`.
    ///   - keyFile: The file with the key.
    ///   - configuration: A configuration of `pushauth`, whose `[store]` says how servers are reached;
    ///     `nil` for none.
    /// - Returns: All records of the tenant.
    /// - Throws: What `pushauth` would say.
    public static func open(
        _ url: String, keyFile: String, configuration: String? = nil
    ) async throws -> any CredentialStore {
        var options = try GlobalOptions.parse(["--store", url, "--key-file", keyFile])
        options.configurationFile = configuration
        let settings =
            if let configuration {
                try Configuration.read(configuration, isRequired: true, linking: [])
            } else {
                Configuration()
            }
        let access = try StoreAccess(options: options, configuration: settings)
        guard access.location.isShared else {
            throw Failure(
                .store, "\(url) is a directory.",
                advice: "Such as \(EtcdPlace.example) or \(PostgresPlace.example).")
        }
        return try await access.open(makingShared: true)
    }
}
