public import PushCore

/// Wultra PowerAuth: Mobile Token over protocol 3.3, or 3.2 or 3.1.
///
/// Its pushes aren't signed, so a push only makes the device ask. The server lists what waits over
/// the enrolled channel, and the activation's keys sign what is approved.
public struct PowerAuth: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: PowerAuthConfiguration

    let channel: PowerAuthChannel

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "powerauth", configuration: PowerAuthConfiguration,
        in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        channel = PowerAuthChannel(id, configuration, environment)
    }

    /// Operations are listed, a denial has a reason, the device token can be changed, and an
    /// activation ended. There is no call that takes a device token away.
    public var capabilities: Capabilities {
        [.pendingList, .denyReasons, .tokenUpdate, .serverRemoval]
    }

    /// A plain yes.
    public var prompts: [Challenge.Prompt] { [.approve] }

    /// The push server takes Apple's token and Firebase's.
    public var pushServices: [DeviceToken.Service] { [.apns, .fcm] }

    /// What biometry unlocks, unless the app offers none. Possession and PIN need it for nothing.
    public var guarded: Capabilities.GuardedPart? { configuration.offersBiometry ? .biometry : nil }

    /// Activates the device by code.
    public var enroller: any Enroller { activations }

    /// Opens and answers operations.
    public var resolver: any Resolver { activations }

    /// Operations that are over; the server asks for two factors to tell them. Ask in the
    /// enrollment's turn (`PushAuthenticator.turn(of:_:)`), as it takes a signature.
    public var history: (any HistorySource)? { activations }

    /// Messages to the user that ask nothing. Read them in the enrollment's turn
    /// (`PushAuthenticator.turn(of:_:)`), or through ``PowerAuthManager/inbox``.
    public var inbox: (any Inbox)? { InboxCalls(channel: channel) }

    /// Nothing may leave: an activation is of one device, and each value of its counter signs once.
    public var exporter: any EnrollmentExporter {
        NotExportable(
            "An activation is bound to this device by keys that were made on it. Activate the new device, "
                + "and end the activation of this one.")
    }

    /// The message as a candidate if it has the form of a push with the vendor's extras, of an
    /// offline operation's QR code, or of a link or QR code with a proximity code.
    ///
    /// A push, and a link with a proximity code, prove nothing and become hints. An offline
    /// operation is signed, and is verified before anything of it is read. That throws `PushError`
    /// with the code `unknownEnrollment` if a push names an activation that isn't here, or if there
    /// is no activation at all; `untrusted` if no key verifies an offline code.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        MessageForm(message).map {
            PushMessage.Candidate($0, verifiedBy: activations.event(from:in:))
        }
    }

    var activations: Activations { Activations(channel: channel) }
}
