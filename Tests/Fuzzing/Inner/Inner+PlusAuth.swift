public import PushCore
import PushJOSE
public import PushPlusAuth

extension Inner {
    /// A provider whose next account gets a known key pair.
    ///
    /// - Parameters:
    ///   - configuration: What the app has chosen.
    ///   - text: The pair's private JWK.
    ///   - environment: The world, as the provider may use it.
    /// - Returns: The provider.
    public static func plusAuth(
        _ configuration: PlusAuth.Configuration, privateJWK text: String,
        in environment: PushEnvironment
    ) -> PlusAuth {
        let keys = AccountKeySource { (_) async throws(PushError) in
            try ExportableAccountKey(privateJWK: JWK(JSON(parsing: text).object ?? [:]))
        }
        return PlusAuth(configuration: configuration, keys: keys, in: environment)
    }
}
