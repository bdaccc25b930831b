import PushTesting

/// Who takes the pushes that the console lets through.
protocol PushDelivery: Sendable {
    /// - Returns: What became of it, in a few words.
    func send(_ push: SimulatedPush) async -> String
}

extension PushSender: PushDelivery {}
