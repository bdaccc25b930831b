import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import Testing

/// One device: everything but the manager is real.
struct Phone {
    let store: Hoard
    let clock: ManualClock
    let observer = RecordingObserver()
    let keypad: Keypad
    let faults = FaultPlan()
    let transport: SimulatedTransport
    let app: App
    let managers: [Manager]
    private let seed: UInt64
    private let configuration: XignIn.Configuration
    private let kind: Kind

    /// What can be different about a phone.
    struct Kind: Sendable {
        var platform = Device.Platform.other
        var bursts = BurstPolicy.off
        /// Seals what biometry unlocks, which is set up when it enrolls; `nil` for no biometry.
        var keyGuard: ScriptedGuard?
        /// What happens when something sleeps; `nil` if it waits for the clock.
        var sleeping: (@Sendable (Duration) async -> Void)?
    }

    init(
        _ managers: [Manager], store: Hoard = Hoard(), clock: ManualClock? = nil,
        keypad: Keypad = Keypad(), seed: UInt64 = .random(in: 0 ... .max),
        configuration: XignIn.Configuration = Phone.quick, kind: Kind = Kind()
    ) throws {
        self.managers = managers
        (self.store, self.keypad, self.seed) = (store, keypad, seed)
        (self.configuration, self.kind) = (configuration, kind)
        let manual = try clock ?? ManualClock(#require(managers.first).time.now)
        self.clock = manual
        let used: any PushClock =
            kind.sleeping.map { sleeping in
                StagedClock(manual) { if $0 > .zero { await sleeping($0) } }
            } ?? manual
        transport = SimulatedTransport(faults: faults) { request, body in
            guard let manager = managers.first(where: { $0.host == request.authority }) else {
                return (HTTPResponse(status: .badGateway), Data())
            }
            await manager.meanwhile(before: request)
            let reply = await manager.respond(to: request, body: body)
            await manager.meanwhile(after: request)
            return reply
        }
        app = try App(
            over: transport, store: store, user: keypad, clock: used,
            .init(
                configuration: configuration, platform: kind.platform, bursts: kind.bursts,
                seed: seed, observer: observer, keyGuard: kind.keyGuard))
    }

    /// Key stretching costs the tests little.
    static var quick: XignIn.Configuration {
        // Else a test would have to move the clock while a push waits.
        let format = OpenReferenceWireFormat(keyWait: .zero)
        var configuration = XignIn.Configuration(wireFormat: format)
        configuration.pinIterations = 10
        return configuration
    }

    /// The same device after the app was killed: what it knew of the server's time is gone.
    func restarted(at now: Date? = nil) throws -> Phone {
        try Phone(
            managers, store: store, clock: ManualClock(now ?? clock.now), keypad: keypad,
            seed: seed &+ 1, configuration: configuration, kind: kind)
    }

    /// Lets time pass, here and at the managers.
    func pass(_ seconds: Int) {
        clock.advance(by: .seconds(seconds))
        var moved: [ManualClock] = [clock]
        for manager in managers where !moved.contains(where: { $0 === manager.time }) {
            manager.time.advance(by: .seconds(seconds))
            moved.append(manager.time)
        }
    }

    var provider: XignIn { app.provider }
    var authenticator: PushAuthenticator { app.authenticator }
    var push: XignPush { app.push }
    var personalizer: Personalizer { app.personalizer }
    var door: XignAuthenticator { app.door }
    var manager: Manager { managers[0] }

    func enrollmentID(_ idm: String = WorkedExample.idm) -> Enrollment.ID {
        Enrollment.ID(idm, of: "xignin")
    }

    func id(_ pid: String, at idm: String = WorkedExample.idm) -> Challenge.ID {
        Challenge.ID(pid, of: enrollmentID(idm))
    }

    @discardableResult
    func enroll(
        _ link: String, token: DeviceToken? = .fcm(WorkedExample.token)
    ) async throws -> Enrollment {
        if let token { try await authenticator.deviceTokenChanged(token) }
        return try await app.enroll(
            .scanned(text: link), guardedBy: kind.keyGuard == nil ? nil : .currentBiometry)
    }

    /// The activation that a manager has of this phone, by what the manager heard last.
    func activation(at index: Int = 0) async throws -> String {
        let heard = await managers[index].invites.values.compactMap(\.activation)
        return try #require(heard.last)
    }

    func handle(_ data: [String: String]) async throws -> XignPushMessageResult? {
        try await push.handleMessage(data: data)
    }

    /// What the vendor's door makes of a push that must be refused.
    func refusal(of data: [String: String]) async -> (
        code: XignPushHandleMessageErrorCodes, isLate: Bool
    )? {
        do throws(XignSdkError) {
            _ = try await push.handleMessage(data: data)
            return nil
        } catch {
            return (
                XignPushHandleMessageErrorCodes.from(errorCode: error.errorCode),
                error.detail == .messageExpired
            )
        }
    }

    func receive(_ data: [String: String]) async throws -> Receipt {
        try await authenticator.receive(PushMessage(fcm: data))
    }

    func state(_ pid: String, at idm: String = WorkedExample.idm) async throws
        -> ChallengeRecord.State?
    {
        try await authenticator.record(of: id(pid, at: idm))?.state
    }

    /// Learns a manager's time once more, as a time that only one reply tells ends nothing.
    func learnTime() async throws {
        #expect(try await authenticator.deviceTokenChanged(.fcm("heard")).isEmpty)
    }

    /// Takes everything the manager has for this account's devices, and gives it to this one.
    func deliver() async throws {
        for data in try await manager.take() { _ = try await receive(data) }
    }
}

extension Phone {
    func approve(
        _ pid: String, role: String? = nil, attributes: Set<String>? = nil
    ) async throws -> Outcome {
        let challenge = try await authenticator.challenge(id(pid))
        return try await authenticator.resolve(
            challenge, with: .approve, extras: challenge.agreed(role: role, attributes: attributes))
    }
}
