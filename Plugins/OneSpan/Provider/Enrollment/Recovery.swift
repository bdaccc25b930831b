/// What earlier processes left unanswered, asked for once of each device.
///
/// It's a cache of the devices that have nothing: the engine can be asked again.
actor Recovery {
    private let engine: any OrchestrationEngine
    private var asked: Set<String> = []

    init(_ engine: any OrchestrationEngine) { self.engine = engine }

    /// What a device has to send again; `nil` if nothing, or the engine has been asked.
    func step(for deviceID: String) async throws(OrchestrationError) -> OrchestrationStep? {
        guard !asked.contains(deviceID) else { return nil }
        let step = try await engine.resume(deviceID)
        asked.insert(deviceID)
        return step
    }

    /// Has the engine asked again the next time, as something is unanswered.
    func forget(_ deviceID: String) { asked.remove(deviceID) }

    /// Drops everything that is kept, as may happen at any moment.
    func dropCaches() { asked.removeAll() }
}
