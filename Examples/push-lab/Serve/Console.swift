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
    private var owners = Owners()

    /// The vendors at which somebody has the turn, and who waits for it.
    private var turns: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// Counts changes, so that a page knows whether it is old.
    private(set) var version = 0
    private var watchers = ConsoleWatchers()
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

    /// Makes an invitation.
    func invite(_ user: String, to vendor: ConsoleVendor) async throws -> Invitation {
        let invitation = try await vendor.simulator.invitation(for: user)
        if let mark = vendor.mark(of: invitation) {
            owners.note([mark], of: user, at: vendor.name)
        }
        return invitation
    }

    @discardableResult
    func logIn(
        _ user: String, at vendor: ConsoleVendor, asking kind: SimulatedLogin.Kind
    ) async throws -> ConsoleLogin {
        let login = try await inTurn(of: vendor) { try await start(user, vendor, kind) }
        await look()
        return login
    }

    private func start(
        _ user: String, _ vendor: ConsoleVendor, _ kind: SimulatedLogin.Kind
    ) async throws -> ConsoleLogin {
        // What was sent before belongs to others.
        await takePushes(of: vendor)
        let started = try await vendor.simulator.startLogin(of: user, asking: kind)
        owners.note([started.id], of: user, at: vendor.name)
        let login = ConsoleLogin(
            id: started.id, vendor: vendor.name, user: user, kind: kind, shown: started.shown,
            started: .now)
        logins.insert(login, at: 0)
        logins = Array(logins.prefix(Self.limit))
        note(vendor.name, "\(user) began to log in (\(kind.rawValue))", of: user)
        if await takePushes(of: vendor, for: user) == 0 {
            add(nil, of: vendor, for: user)
        }
        return login
    }

    func cancel(_ login: SimulatedLogin.ID, at vendor: ConsoleVendor) async throws {
        guard let cancel = vendor.cancel else { return }
        try await cancel(login)
        if let index = logins.firstIndex(where: { $0.id == login && $0.vendor == vendor.name }) {
            logins[index].isTakenBack = true
            note(vendor.name, "a login was taken back", of: logins[index].user)
        }
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
    func note(
        _ vendor: ConsoleVendor, _ exchange: ConsoleExchange, _ reading: RequestReading
    ) async {
        let user = await owner(of: reading, at: vendor)
        let title = reading.name.map { "\($0): \(exchange.title)" } ?? exchange.title
        note(vendor.name, title, exchange, of: user)
    }

    /// Whose a request is. A device that there wasn't before is whose registration this was.
    private func owner(of reading: RequestReading, at vendor: ConsoleVendor) async -> String? {
        let name = vendor.name
        if let user = owners.user(of: reading.texts, at: name) { return user }
        guard reading.name != nil else { return nil }
        var newcomers: Set<String> = []
        for user in users {
            let texts = await vendor.identifiers(user)
            if owners.note(texts, of: user, at: name) { newcomers.insert(user) }
        }
        if let user = owners.user(of: reading.texts, at: name) { return user }
        return reading.name == "registration" && newcomers.count == 1 ? newcomers.first : nil
    }

    /// Takes what the simulators want to push, and looks how logins and devices stand.
    func look() async {
        for vendor in vendors {
            for user in users { await vendor.settle(user) }
            await inTurn(of: vendor) { _ = await takePushes(of: vendor) }
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

    /// Looks how a vendor's logins stand.
    func lookAtLogins(of vendor: ConsoleVendor) async {
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
        let user = logins[index].user
        note(vendor.name, "\(user): \(logins[index].words)", of: user)
    }

    // MARK: Pushes

    /// Takes what a simulator wants to push.
    ///
    /// The user is `user`, unless a push says otherwise.
    ///
    /// - Returns: How much that was.
    @discardableResult
    private func takePushes(of vendor: ConsoleVendor, for user: String? = nil) async -> Int {
        let taken = await vendor.simulator.takePushes()
        for push in taken {
            await vendor.noticed(push)
            let owner = owners.user(of: RequestReading.texts(of: push.payload), at: vendor.name)
            add(push, of: vendor, for: owner ?? user)
        }
        return taken.count
    }

    /// Notes a push, and sends it; `nil` for one that there would be if the device had a token.
    private func add(_ push: SimulatedPush?, of vendor: ConsoleVendor, for user: String?) {
        let number = nextPush
        nextPush += 1
        if let user, let mark = push.flatMap(vendor.pushMark) {
            owners.note([mark], of: user, at: vendor.name)
        }
        pushes.insert(
            ConsolePush(
                number: number, vendor: vendor.name, user: user, time: .now,
                token: shortened(push?.deviceToken), size: push?.payload.count ?? 0, fate: nil),
            at: 0)
        pushes = Array(pushes.prefix(Self.limit))
        changed()
        guard let push, push.deviceToken.isThere else {
            settle(
                number, .untaken(.noDeviceToken, "not sent: the user's device has no push token"))
            return
        }
        let fault = faults.removeValue(forKey: vendor.name)
        Task { await send(push, number, fault) }
    }

    private func send(_ push: SimulatedPush, _ number: Int, _ fault: PushFault?) async {
        var push = push
        var copies = 1
        switch fault {
        case .drop:
            settle(number, .untaken(.lost, "lost, as asked"))
            return
        case .delay: await hold()
        case .duplicate: copies = 2
        case .forge: push = Forgery.changed(push)
        case nil: break
        }
        var fates: [PushFate] = []
        for _ in 0..<copies { fates.append(await sender.send(push)) }
        settle(number, PushFate(of: fates, because: fault.map { " (\($0.words))" } ?? ""))
    }

    private func settle(_ number: Int, _ fate: PushFate) {
        guard let index = pushes.firstIndex(where: { $0.number == number }) else { return }
        pushes[index].fate = fate
        note(pushes[index].vendor, "push \(number): \(fate.words)", of: pushes[index].user)
    }

    // MARK: Turns

    /// Does something at a vendor while nothing else starts a login or takes pushes there, so that what
    /// it pushes then is that login's.
    private func inTurn<Result>(
        of vendor: ConsoleVendor, _ body: () async throws -> Result
    ) async rethrows -> Result {
        if turns[vendor.name] != nil {
            await withCheckedContinuation { turns[vendor.name]?.append($0) }
        } else {
            turns[vendor.name] = []
        }
        defer {
            if turns[vendor.name]?.isEmpty == false {
                turns[vendor.name]?.removeFirst().resume()
            } else {
                turns[vendor.name] = nil
            }
        }
        return try await body()
    }

    // MARK: Watching

    /// The numbers of versions, as they come, the current one first.
    func versions() -> AsyncStream<Int> {
        watchers.add(at: version) { number in Task { await self.forget(number) } }
    }

    /// Lets every watcher go.
    func close() { watchers.close() }

    private func forget(_ number: Int) { watchers.forget(number) }

    /// Notes what happened.
    func note(
        _ vendor: String, _ text: String, _ exchange: ConsoleExchange? = nil,
        of user: String? = nil
    ) {
        events.insert(
            ConsoleEvent(
                number: nextEvent, time: .now, vendor: vendor, user: user, text: text,
                exchange: exchange), at: 0)
        nextEvent += 1
        events = Array(events.prefix(Self.limit))
        changed()
    }

    private func changed() {
        version += 1
        watchers.tell(version)
    }
}
