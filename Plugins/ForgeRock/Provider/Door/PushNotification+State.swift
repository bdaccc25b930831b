import PushCore

extension PushNotification {
    /// Whether nobody has answered it on this device, expired or not.
    public var isPending: Bool {
        get async throws(PushError) { try await resolution == nil }
    }

    /// Whether it was accepted on this device, and AM hasn't refused the answer.
    public var isApproved: Bool {
        get async throws(PushError) { try await standing.map { !$0.isDenial } ?? false }
    }

    /// Whether it was denied on this device, and AM hasn't refused the answer.
    public var isDenied: Bool {
        get async throws(PushError) { try await standing.map(\.isDenial) ?? false }
    }

    /// What was answered, unless AM's word is that it didn't take it.
    private var standing: Resolution? {
        get async throws(PushError) {
            switch try await authenticator.record(of: id)?.state {
            case .answered(_, .notTaken)?: nil
            case .decided(let resolution)?, .answered(let resolution, _)?: resolution
            default: nil
            }
        }
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
