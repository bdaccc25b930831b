import PushCore

/// A message that is meant for this device, but that only another version of the app can execute.
public struct XignPushMessageIncompatible: Hashable, Sendable, Codable {
    /// Whether the user needn't hear of it.
    public let isIgnorable: Bool

    /// The process.
    public let processId: String

    /// The manager that sent it.
    public let idmIdentifier: String

    /// What the manager wanted.
    public let messageType: XignPushMessageType?

    /// The least version of the protocol that can execute it, as the manager wrote it.
    public let minSmartDeviceApi: String?

    init(_ incompatible: Incompatible) {
        isIgnorable = incompatible.isIgnorable
        processId = incompatible.id.name
        idmIdentifier = incompatible.id.enrollment.name
        messageType = XignPushMessageType(name: incompatible.kind)
        minSmartDeviceApi = incompatible.minimumVersion
    }
}
