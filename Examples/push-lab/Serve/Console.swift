import Foundation
import PushCore
import PushTesting

/// What the console's pages show, and what their buttons do.
actor Console {
    let vendors: [ConsoleVendor]
    private let sender: any PushDelivery
    private let hold: @Sendable () async -> Void

    private(set) var users = ["jane", "john"]
    private(set) var logins: [ConsoleLogin] = []
    private(set) var pushes: [ConsolePush] = []
    private(set) var events: [ConsoleEvent] = []
    private(set) var devices: [String: [String]] = [:]
    private var faults: [String: PushFault] = [:]

    /// Counts changes, so that a page knows whether it is old.
    private(set) var version = 0
    private var watchers: [Int: AsyncStream<Int>.Continuation] = [:]
    private var nextWatcher = 0
    private var nextPush = 1
    private var nextEvent = 1

    /// How much of the past is kept, of each kind.
    private static let limit = 200

    init(
        _ vendors: [ConsoleVendor], sender: any PushDelivery,
        hold: @escaping @Sendable () async -> Void
    ) {
        self.vendors = vendors
        self.sender = sender
        self.hold = hold
    }

    func vendor(_ name: String) -> ConsoleVendor? { vendors.first { $0.name == name } }

    func fault(of vendor: String) -> PushFault? { faults[vendor] }

    // MARK: Buttons

    func addUser(_ user: String) {
        guard !users.contains(user) else { return }
        users.append(user)
        changed()
    }

    func logIn(_ user: String, at vendor: ConsoleVendor, asking kind: SimulatedLogin.Kind)
        async throws
    {
        let login = try await vendor.simulator.startLogin(of: user, asking: kind)
        logins.insert(
            ConsoleLogin(
                id: login.id, vendor: vendor.name, user: user, kind: kind, shown: login.shown,
                started: .now), at: 0)
        logins = Array(logins.prefix(Self.limit))
        note(vendor.name, "\(user) began to log in (\(kind.rawValue))")
        await look()
    }

    func cancel(_ login: SimulatedLogin.ID, at vendor: ConsoleVendor) async throws {
        guard let cancel = vendor.cancel else { return }
        try await cancel(login)
        if let index = logins.firstIndex(where: { $0.id == login && $0.vendor == vendor.name }) {
            logins[index].isTakenBack = true
        }
        note(vendor.name, "a login was taken back")
        await look()
    }

    /// Lets a vendor's logins run out that wait now.
    func expire(at vendor: ConsoleVendor) async {
        await look()
        let waiting = logins.filter { $0.vendor == vendor.name && $0.status == .waiting }
        note(vendor.name, "the logins that wait were let run out: \(waiting.count)")
        for (login, status) in await vendor.expire(waiting.map(\.id)) {
            conclude(login, of: vendor, with: status)
        }
        await look()
    }

    func plan(_ fault: PushFault?, at vendor: ConsoleVendor) {
        faults[vendor.name] = fault
        note(vendor.name, fault.map { "the next push: \($0.words)" } ?? "the next push is as usual")
    }

    // MARK: What happens by itself

    /// Notes a request that a simulator answered.
    func note(_ vendor: String, _ exchange: ConsoleExchange) {
        note(vendor, exchange.title, exchange)
    }

    /// Takes what the simulators want to push, and looks how logins and devices stand.
    func look() async {
        for vendor in vendors {
            for user in users { await vendor.settle(user) }
            for push in await vendor.simulator.takePushes() {
                await vendor.noticed(push)
                deliver(push, of: vendor)
            }
            await lookAtLogins(of: vendor)
            for user in users {
                let now = await vendor.devices(user)
                let key = "\(vendor.name)/\(user)"
                guard devices[key] ?? [] != now else { continue }
                devices[key] = now
                changed()
            }
        }
    }

    private func lookAtLogins(of vendor: ConsoleVendor) async {
        for login in logins where login.vendor == vendor.name && login.status == .waiting {
            guard let status = try? await vendor.simulator.status(of: login.id) else { continue }
            conclude(login.id, of: vendor, with: status)
        }
    }

    /// Notes the end of a login, once.
    private func conclude(
        _ login: SimulatedLogin.ID, of vendor: ConsoleVendor, with status: SimulatedLogin.Status
    ) {
        guard status != .waiting,
            let index = logins.firstIndex(where: {
                $0.id == login && $0.vendor == vendor.name && $0.status == .waiting
            })
        else { return }
        logins[index].status = status
        note(vendor.name, "\(logins[index].user): \(logins[index].words)")
    }

    // MARK: Pushes

    private func deliver(_ push: SimulatedPush, of vendor: ConsoleVendor) {
        let number = nextPush
        nextPush += 1
        pushes.insert(
            ConsolePush(
                number: number, vendor: vendor.name, time: .now,
                token: shortened(push.deviceToken), size: push.payload.count, fate: "on its way"),
            at: 0)
        pushes = Array(pushes.prefix(Self.limit))
        changed()
        let fault = faults.removeValue(forKey: vendor.name)
        Task { await send(push, number, fault) }
    }

    private func send(_ push: SimulatedPush, _ number: Int, _ fault: PushFault?) async {
        var push = push
        var copies = 1
        switch fault {
        case .drop:
            settle(number, "lost, as asked")
            return
        case .delay: await hold()
        case .duplicate: copies = 2
        case .forge: push = Forgery.changed(push)
        case nil: break
        }
        var fates: [String] = []
        for _ in 0..<copies { fates.append(await sender.send(push)) }
        let suffix = fault.map { " (\($0.words))" } ?? ""
        settle(number, fates.joined(separator: "; ") + suffix)
    }

    private func settle(_ number: Int, _ fate: String) {
        guard let index = pushes.firstIndex(where: { $0.number == number }) else { return }
        pushes[index].fate = fate
        note(pushes[index].vendor, "push \(number): \(fate)")
    }

    // MARK: Watching

    /// The numbers of versions, as they come, the current one first.
    func versions() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream<Int>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let number = nextWatcher
        nextWatcher += 1
        watchers[number] = continuation
        continuation.onTermination = { _ in Task { await self.forget(number) } }
        continuation.yield(version)
        return stream
    }

    /// Lets every watcher go.
    func close() {
        for watcher in watchers.values { watcher.finish() }
        watchers = [:]
    }

    private func forget(_ number: Int) { watchers[number] = nil }

    private func note(_ vendor: String, _ text: String, _ exchange: ConsoleExchange? = nil) {
        events.insert(
            ConsoleEvent(
                number: nextEvent, time: .now, vendor: vendor, text: text, exchange: exchange),
            at: 0)
        nextEvent += 1
        events = Array(events.prefix(Self.limit))
        changed()
    }

    private func changed() {
        version += 1
        for watcher in watchers.values { watcher.yield(version) }
    }
}
