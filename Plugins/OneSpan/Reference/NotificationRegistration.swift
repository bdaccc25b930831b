public import PushCore
public import PushOneSpan

/// Makes identifiers in our open form, which the simulator reads. It isn't OneSpan's form, which is
/// not published.
///
/// An identifier is the hexadecimal form of `ONI1`, the platform (1 APNs, 2 FCM), the environment
/// (0 production, 1 development), the token's length in two bytes, and the token.
public struct OpenNotificationIdentifiers: NotificationIdentifierProvider {
    /// The longest token that fits, in bytes.
    public static let tokenLimit = 1_024

    /// Creates a provider.
    public init() {}

    /// The identifier of a device token.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the token is empty or
    ///   longer than ``tokenLimit``, or an APNs token isn't hexadecimal.
    public func identifier(
        for deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier {
        let (header, token): ([UInt8], [UInt8]) =
            switch deviceToken {
            case .apns(let hex, let isSandbox):
                ([1, isSandbox ? 1 : 0], try OrchestrationCommand(hex).bytes)
            case .fcm(let text): ([2, 0], Array(text.utf8))
            }
        guard 1...Self.tokenLimit ~= token.count else {
            throw PushError(.invalidArgument, "A device token is empty or too long.")
        }
        let length = [UInt8(token.count >> 8), UInt8(token.count & 0xFF)]
        let bytes = Array("ONI1".utf8) + header + length + token
        return try NotificationIdentifier(OrchestrationCommand(bytes: bytes).hex)
    }
}

extension OpenReferenceEngine {
    func startRegistration(
        of name: String, _ identifier: String
    ) async throws(OrchestrationError) -> OrchestrationStep {
        guard (1...2_064).contains(identifier.utf8.count), !identifier.utf8.contains(0) else {
            throw OrchestrationError(
                .invalidArgument, "The notification identifier hasn't 1 to 2,064 bytes.")
        }
        let device = try await activated(name)
        let work = Flow.Work.registration(
            deviceID: try device.record.deviceID, identifier: identifier)
        var flow = Flow(id: newFlowID(), work: work)
        let progress = send(
            try await sealRegistration(device, identifier, flow: flow.id), in: &flow)
        flows.add(flow)
        return progress.step
    }

    func sealRegistration(
        _ device: WorkflowAccount, _ identifier: String, flow: [UInt8]
    ) async throws(OrchestrationError) -> Flow.SentCommand {
        let (counter, record) = try await device.nextCounter()
        var body = BodyWriter()
        body.add(.notificationIdentifier, identifier.utf8)
        return try sealer.seal(
            .notificationRegister, body.body, of: record, flow: flow, counter: counter)
    }
}
