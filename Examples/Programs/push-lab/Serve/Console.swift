import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// What the console's pages show, and what their buttons do.
actor Console {
    let vendors: [ConsoleVendor]
    private let delivery: SpoiledDelivery

    private(set) var users = ["jane", "john"]
    private(set) var logins: [ConsoleLogin] = []
    private(set) var pushes: [ConsolePush] = []
    private(set) var events: [ConsoleEvent] = []
    private(set) var devices: [String: [String]] = [:]
    private var faults: [String: PushFault] = [:]
    private var owners = Owners()

    private var turns = ConsoleTurns()

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
        delivery = SpoiledDelivery(sender: sender, hold: hold)
    }

    func vendor(_ name: String) -> ConsoleVendor? { vendors.first { $0.name == name } }
    func title(of vendor: String) -> String { self.vendor(vendor)?.simulator.name ?? vendor }

    /// A user's pushes, newest first, and those that could be anybody's.
    func pushes(of user: String, at vendor: ConsoleVendor) -> [ConsolePush] {
        pushes.filter { $0.vendor == vendor.name && ($0.user == user || $0.user == nil) }
    }

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
        // What was sent before belongs to others, and what ended before stands before.
        await takePushes(of: vendor)
        await concludeLogins(of: vendor)
        let started = try await vendor.simulator.startLogin(of: user, asking: kind)
        owners.note([started.id], of: user, at: vendor.name)
        let login = ConsoleLogin(
            id: started.id, vendor: vendor.name, user: user, kind: kind, shown: started.shown,
            started: .now)
        logins.insert(login, at: 0)
        logins = Array(logins.prefix(Self.limit))
        note(vendor.name, "began to log in (\(kind.rawValue))", of: user)
        if await takePushes(of: vendor, for: user) == 0 {
            add(nil, of: vendor, for: user)
        }
        return login
    }

    func cancel(_ login: SimulatedLogin.ID, at vendor: ConsoleVendor) async throws {
        guard let cancel = vendor.cancel else { return }
        try await inTurn(of: vendor) {
            try await cancel(login)
            if let index = index(of: login, at: vendor) {
                logins[index].isTakenBack = true
                note(vendor.name, "a login was taken back", of: logins[index].user)
            }
        }
        await look()
    }

    /// Lets a vendor's logins run out that wait now.
    func expire(at vendor: ConsoleVendor) async {
        await look()
        await inTurn(of: vendor) {
            let waiting = logins.filter { $0.vendor == vendor.name && $0.status == .waiting }
            note(vendor.name, "the logins that wait were let run out: \(waiting.count)")
            for (login, status) in await vendor.expire(waiting.map(\.id)) {
                conclude(login, of: vendor, with: status)
            }
        }
        await look()
    }

    func plan(_ fault: PushFault?, at vendor: ConsoleVendor) {
        faults[vendor.name] = fault
        note(vendor.name, fault.map { "the next push: \($0.words)" } ?? "the next push is as usual")
    }

    // MARK: What happens by itself

    /// Answers a device, and notes it before anything else happens at the vendor: the log has its order.
    func answer(
        _ request: HTTPRequest, _ body: Data, at vendor: ConsoleVendor
    ) async -> (response: HTTPResponse, body: Data) {
        await inTurn(of: vendor) {
            let reply = await vendor.reply(to: request, body)
            let exchange = ConsoleExchange(request, body, reply)
            await note(vendor, exchange, vendor.reading(request, body))
            await concludeLogins(of: vendor)
            return reply
        }
    }

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
            await inTurn(of: vendor) {
                await takePushes(of: vendor)
                await concludeLogins(of: vendor)
            }
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
        await inTurn(of: vendor) { await concludeLogins(of: vendor) }
    }

    private func concludeLogins(of vendor: ConsoleVendor) async {
        for login in logins where login.vendor == vendor.name && login.status == .waiting {
            guard let status = try? await vendor.simulator.status(of: login.id) else { continue }
            conclude(login.id, of: vendor, with: status)
        }
    }

    /// Notes the end of a login, once.
    private func conclude(
        _ login: SimulatedLogin.ID, of vendor: ConsoleVendor, with status: SimulatedLogin.Status
    ) {
        guard status != .waiting, let index = index(of: login, at: vendor),
            logins[index].status == .waiting
        else { return }
        logins[index].status = status
        note(vendor.name, logins[index].words, of: logins[index].user)
    }

    private func index(of login: SimulatedLogin.ID, at vendor: ConsoleVendor) -> Int? {
        logins.firstIndex { $0.id == login && $0.vendor == vendor.name }
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
        Task {
            let fate = await delivery.send(push, spoiledBy: fault)
            settle(number, fate, fate.reason == .noPushService ? push.payload : nil)
        }
    }

    private func settle(_ number: Int, _ fate: PushFate, _ content: Data? = nil) {
        guard let index = pushes.firstIndex(where: { $0.number == number }) else { return }
        pushes[index].fate = fate
        pushes[index].content = content.map { String(decoding: $0, as: UTF8.self) }
        note(pushes[index].vendor, "push \(number): \(fate.words)", of: pushes[index].user)
    }

    // MARK: Turns

    /// Does something at a vendor while nothing else happens there.
    private func inTurn<Result>(
        of vendor: ConsoleVendor, _ body: () async throws -> Result
    ) async rethrows -> Result {
        if !turns.take(vendor.name) {
            await withCheckedContinuation { turns.queue(vendor.name, $0) }
        }
        defer { turns.leave(vendor.name) }
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
