public import PushCore

/// Reads managers' pushes under the vendor's names.
///
/// The vendor's SDK has one shared instance; here the app makes one for its authenticator. Every
/// push may be offered to it, also those of other senders.
public struct XignPush: Sendable {
    let authenticator: PushAuthenticator
    let provider: XignIn

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    public init(_ authenticator: PushAuthenticator, provider: XignIn) {
        self.authenticator = authenticator
        self.provider = provider
    }

    /// Takes a push as the system hands it over.
    ///
    /// - Returns: What the push is; `nil` if it isn't a manager's.
    /// - Throws: ``XignSdkError`` if it is, but couldn't be read; see
    ///   ``XignPushHandleMessageErrorCodes``. Nothing has been stored then.
    public func handleMessage(
        userInfo: [AnyHashable: Any]
    ) async throws(XignSdkError) -> XignPushMessageResult? {
        try await handle(Self.message(userInfo))
    }

    /// Takes the data of a Firebase message.
    ///
    /// - Returns: As ``handleMessage(userInfo:)``.
    /// - Throws: As ``handleMessage(userInfo:)``.
    public func handleMessage(
        data: [String: String]
    ) async throws(XignSdkError) -> XignPushMessageResult? {
        try await handle(PushMessage(fcm: data))
    }
}
