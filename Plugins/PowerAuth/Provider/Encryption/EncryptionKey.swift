/// The server's key that requests are sealed for.
struct EncryptionKey: Sendable {
    /// The temporary key's identifier; `nil` below version 3.3, where the key is the master server
    /// key in application scope and the activation's server key in activation scope.
    let id: String?

    /// The key.
    let publicKey: CurvePoint
}
