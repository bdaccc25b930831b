import PushCore

extension PushNotification {
    /// Whether nobody has answered it on this device, expired or not.
    public var isPending: Bool {
        get async throws(PushError) { try await resolution == nil }
    }

    /// Whether it was accepted on this device.
    public var isApproved: Bool {
        get async throws(PushError) { try await resolution.map { !$0.isDenial } ?? false }
    }

    /// Whether it was denied on this device.
    public var isDenied: Bool {
        get async throws(PushError) { try await resolution.map(\.isDenial) ?? false }
    }

    private var resolution: Resolution? {
        get async throws(PushError) {
            switch try await authenticator.record(of: id)?.state {
            case .decided(let resolution)?, .answered(let resolution, _)?: resolution
            default: nil
            }
        }
    }
}
