import Foundation
import PushCore
import PushPlatform

/// Looks at everything, one thing after the other: what can't be looked at stops none of the rest.
struct Doctor {
    private let options: GlobalOptions
    private let isOffline: Bool
    private let servers: [String]
    private let profile: ApprovalProfile?
    private let policy: String?
    private let places = Places()

    init(
        _ options: GlobalOptions, isOffline: Bool, servers: [String], profile: ApprovalProfile?,
        policy: String?
    ) {
        self.profile = profile
        self.policy = policy
        self.options = options
        self.isOffline = isOffline
        self.servers = servers
    }

    /// What it finds, as it finds it.
    func checks() -> AsyncStream<DoctorCheck> {
        AsyncStream { stream in
            let looking = Task {
                await look { stream.yield($0) }
                stream.finish()
            }
            stream.onTermination = { _ in looking.cancel() }
        }
    }

    private func look(_ report: (DoctorCheck) -> Void) async {
        let linked = linkedProviders(report)
        var hosts = Set<Endpoint>(servers.compactMap { try? Endpoint($0) })
        if let linked {
            if let policy {
                PolicyChecks(path: policy, providers: linked.names).look(report)
            }
            if let session = await session(linked, report) {
                hosts.formUnion(linked.servers)
                // Where one of them listens is known better by what names its port.
                let known = Set(hosts.map(\.host))
                hosts.formUnion(
                    await EnrollmentChecks(session: session).look(report)
                        .filter { !known.contains($0.host) })
                if let profile = profile ?? linked.configuration.approvals.profile {
                    await ProfileChecks(session: session, profile: profile).look(report)
                }
            }
        } else if let access = try? StoreAccess(
            options: options, configuration: Configuration(), places: places),
            !access.location.isShared
        {
            StoreChecks(access: access).look(report)
        }
        if isOffline {
            report(.ok("servers", "Not asked: --offline."))
        } else {
            await look(at: hosts, linked?.configuration, report)
        }
        for check in LibraryChecks().look() { report(check) }
    }

    /// What the store holds of one device; `nil` if there is nothing, none is meant, or it can't be
    /// opened.
    private func session(
        _ linked: LinkedProviders, _ report: (DoctorCheck) -> Void
    ) async -> Session? {
        let configuration = linked.configuration
        do {
            let access = try StoreAccess(
                options: options, configuration: configuration, places: places)
            let verifier = CommandUser(VerificationOptions())
            if access.location.isShared {
                let checks = SharedStoreChecks(access: access, configuration: configuration)
                guard let ground = await checks.look(linked, report), !ground.isOfAllDevices else {
                    return nil
                }
                return try Session(
                    on: ground, of: try await ground.device(), verifier: verifier)
            }
            let storeChecks = StoreChecks(access: access)
            storeChecks.look(report)
            guard storeChecks.isThere else { return nil }
            let session = try await Session(options, verifier: verifier)
            report(.ok("store", "It opens."))
            return session
        } catch {
            report(
                .problem(
                    "store", error.text,
                    (options.store?.contains("://") == true ? error.advice : nil)
                        ?? "Correct what is said above of its files first."))
            return nil
        }
    }

    private func look(
        at hosts: Set<Endpoint>, _ configuration: Configuration?, _ report: (DoctorCheck) -> Void
    ) async {
        do throws(Failure) {
            let transport = try Session.transport(options, configuration ?? Configuration())
            let checks = ServerChecks(
                transport: transport, pins: transport.configuration.pins)
            for host in hosts.sorted(by: { $0.text < $1.text }) {
                for check in await checks.look(at: host) { report(check) }
            }
        } catch {
            report(.problem("servers", error.text, error.advice ?? "Correct that first."))
        }
    }

    private func linkedProviders(_ report: (DoctorCheck) -> Void) -> LinkedProviders? {
        let path = options.configurationFile ?? places.configurationFile
        do {
            let linked = try options.linkedProviders()
            let configuration = linked.configuration
            _ = try Session.transport(options, configuration)
            // A section may be well-formed and make no provider all the same.
            let environment = PushEnvironment(
                transport: NoNetwork(), store: DryStore(over: nil),
                verifier: CommandUser(VerificationOptions()), device: Device(name: "pushauth"))
            let names = try linked.make(in: environment)
                .map(\.id.rawValue).joined(separator: ", ")
            let isThere = FileManager.default.fileExists(atPath: path)
            report(
                .ok(
                    "configuration",
                    "\(isThere ? path : "There is none; the defaults count"). Providers: \(names).")
            )
            for rule in configuration.pins.rules.rules { report(Self.check(rule)) }
            return linked
        } catch {
            report(.problem("configuration", error.text, error.advice ?? "Correct \(path)."))
            return nil
        }
    }
}

extension Doctor {
    private static func check(_ rule: ServerPins.Rule) -> DoctorCheck {
        let hosts = rule.includesSubdomains ? "\(rule.host) and every host below" : rule.host
        let pins = rule.pins.map(\.description).sorted().joined(separator: ", ")
        return .ok("pins", "\(hosts): \(pins).")
    }
}
