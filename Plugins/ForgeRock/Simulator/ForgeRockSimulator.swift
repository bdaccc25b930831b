import HTTPTypes
import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// AM's push service, its token store and the journeys around it, in process.
///
/// It takes what AM takes and refuses what AM refuses, down to the status and the body, in the
/// ``Configuration/generation`` it is told to be. It never waits: all time comes from its clock.
/// It's written from the published behavior alone and shares no code with the plugin but PushCore's
/// JSON, so that a mistake can't hide in both. What could not be read anywhere is marked UNCONFIRMED.
///
/// AM refuses a second push of one journey while the first is open. Here each login is a journey
/// of its own, so any number may be open.
public actor ForgeRockSimulator: SimulatedService, ShelledService {
    /// The vendor's name, for people.
    public nonisolated let name = "ForgeRock AM"

    /// What kind of AM it is now.
    public package(set) var configuration: Configuration

    var messages: [String: StoredMessage] = [:]
    var profiles: [String: [DeviceProfile]] = [:]
    var codeDevices: [String: CodeDevice] = [:]
    var journeys: [SimulatedLogin.ID: Journey] = [:]
    package var shell = SimulatorShell(at: "https://am.example.com:8443")
    private var forced = FaultQueue<Int>()

    /// Creates a server without users.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Replies with a status, without looking at the request; the next call first.
    public func force(status: Int, times: Int = 1) {
        forced.add(status, times: times)
    }

    package func reply(to request: SimulatedRequest) -> SimulatedReply {
        if let status = forced.take() {
            return ServerReply(Refusal(status: status, message: "Forced by the simulator.")).http
        }
        do throws(Refusal) {
            try handle(request.head, request.body)
            return ServerReply.success.http
        } catch {
            return ServerReply(error).http
        }
    }

    /// A user's devices, the one that gets pushes first.
    public func devices(of user: String) -> [RegisteredDevice] {
        (profiles[user] ?? []).map {
            RegisteredDevice(
                mechanismUID: $0.mechanismUID, deviceToken: $0.deviceToken, name: $0.name,
                type: $0.type)
        }
    }

    /// Deletes a user's devices, as an administrator would.
    public func removeDevices(of user: String) {
        profiles[user] = nil
    }

    /// Removes expired messages from the token store, as its reaper does now and then.
    public func reap() {
        let now = configuration.clock.now
        messages = messages.filter { $0.value.expiry >= now }
    }

    /// A message in the token store, unless it expired and the store hides that.
    func message(_ identifier: String) -> StoredMessage? {
        guard let message = messages[identifier] else { return nil }
        if !configuration.isReaperSlow, configuration.clock.now > message.expiry {
            messages[identifier] = nil
            return nil
        }
        return message
    }

    /// An identifier of a kind, `<uuid><milliseconds>`, made now.
    func stampedUUID() -> String {
        configuration.random.uuid().lowercased() + "\(configuration.clock.now.milliseconds)"
    }
}

// MARK: Requests

extension ForgeRockSimulator {
    private enum Action: String {
        case register, authenticate, refresh
    }

    /// Does what a request asks for.
    func handle(_ request: HTTPRequest, _ body: Data) throws(Refusal) {
        let parts = (request.path ?? "").split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path == configuration.path else { throw .notFound }
        guard request.method == .post else { throw .wrongMethod }
        try checkVersion(request)
        let action = try action(in: parts.count > 1 ? parts[1] : "")
        guard configuration.hasPushService else { throw .noPushService }
        guard let members = try? JSON(parsing: body).object else { throw .badRequest }
        switch action {
        // One code for both: the message identifier says which it is, not the action.
        case .register, .authenticate: try take(members)
        case .refresh: try refresh(members)
        }
    }

    private func action(in query: Substring) throws(Refusal) -> Action {
        let name = "_action="
        let value = query.split(separator: "&").first { $0.hasPrefix(name) }?
            .dropFirst(name.count)
        guard let action = Action(rawValue: String(value ?? "")),
            action != .refresh || configuration.hasRefresh
        else { throw .unsupportedAction }
        return action
    }

    /// Without a version, AM takes the latest on its default settings.
    private func checkVersion(_ request: HTTPRequest) throws(Refusal) {
        guard let name = HTTPField.Name("Accept-API-Version"),
            let text = request.headerFields[name]
        else { return }
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != " " } }
            guard pair.count == 2 else { throw .badRequest }
            guard pair[0] == "resource" else { continue }
            guard pair[1].split(separator: ".").first == "1" else { throw .wrongVersion }
        }
    }
}
