public import PushCore

/// What the vendor's SDK 1.x keeps of one activation, as the app hands it over.
///
/// These are four items of the device's keychain, all of the app's own group. Only the app can read
/// them: `docs/guides/porting-powerauth.md` names each. They are secrets, so never let them pass
/// through a file or the pasteboard in clear.
public struct PowerAuthVendorRecord: Sendable {
    /// The record of the activation.
    let status: Secret

    /// What locks the keys of possession and of transport.
    let possessionKey: Secret

    /// What locks the key of biometry, and what shall lock it from now on.
    let biometry: Biometry?

    /// What locks the user's keys a second time, if the app has set one.
    let externalKey: Secret?

    /// Takes what the vendor's SDK keeps.
    ///
    /// - Parameters:
    ///   - status: The activation's record, from the keychain of the status.
    ///   - possessionKey: 16 bytes, from the keychain of possession. Nothing in the record tells whether
    ///     they are the right ones: with others, the server's status can't be opened.
    ///   - biometry: What it takes to hand biometry over; without it, biometry is left behind.
    ///   - externalKey: The external encryption key of 16 bytes, if the app has set one. It locks
    ///     nothing any more after the import.
    public init(
        status: Secret, possessionKey: Secret, biometry: Biometry? = nil,
        externalKey: Secret? = nil
    ) {
        self.status = status
        self.possessionKey = possessionKey
        self.biometry = biometry
        self.externalKey = externalKey
    }

    /// What it takes to hand biometry over.
    public struct Biometry: Sendable {
        let key: Secret
        let secret: Secret

        /// Hands biometry over.
        ///
        /// - Parameters:
        ///   - key: 16 bytes, from the keychain of biometry, which only the user opens. Nothing tells
        ///     whether they are the right ones: with others, the server refuses what biometry signs.
        ///   - secret: What the app's verifier will bring with `Evidence.biometry` from now on, of 16
        ///     bytes at least.
        public init(key: Secret, secret: Secret) {
            self.key = key
            self.secret = secret
        }
    }
}
