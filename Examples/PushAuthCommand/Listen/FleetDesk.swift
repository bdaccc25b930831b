import PushCore

/// The devices of a fleet for which this process has something to do, each with an authenticator of its
/// own: made for a push, and dropped when nothing is left.
actor FleetDesk {
    /// What each device's part is made of.
    struct Parts: Sendable {
        let ground: Ground
        let fleet: Fleet
        let member: FleetMember
        let policy: Policy
        let policies: Policies
        let verifier: CommandUser
        let reporter: Reporter
        /// Called with the exit status of each answer.
        let ended: @Sendable (ExitStatus) -> Void
    }

    private struct Seat {
        let listener: Listener
        let receiver: PushReceiver
        /// How many pushes are in its hands.
        var users = 0
        var lastUse = ContinuousClock.now
    }

    /// How long a device is kept for the next push, once it has nothing to do.
    private static let idleTime = Duration.seconds(10)

    private let parts: Parts
    private let slots = Slots(16)
    private var seats: [FleetDevice.ID: Seat] = [:]
    private var opening: [FleetDevice.ID: Task<Result<Void, PushError>, Never>] = [:]
    private var leaving: [FleetDevice.ID: Task<Void, Never>] = [:]
    private var isClosing = false

    init(_ parts: Parts) {
        self.parts = parts
    }

    /// Takes a push for the device whose token it came to, and returns once it is on record.
    func take(_ push: IncomingPush) async -> TakenPush {
        guard let id = push.device, push.drop == nil else {
            let drop = push.drop ?? .unsubscribed
            parts.reporter.show(ListenEvent.push(push, .dropped(drop)))
            return TakenPush(.dropped(drop))
        }
        do throws(PushError) {
            guard let device = try await parts.fleet.device(id) else {
                parts.reporter.show(ListenEvent.push(push, .gone))
                return TakenPush(.gone)
            }
            let seat = try await enter(device)
            let taken = await seat.receiver.take(push)
            return TakenPush(taken.verdict) {
                await taken.rest?()
                await self.leave(id)
            }
        } catch {
            parts.reporter.show(ListenEvent.push(push, .refused(error.code)))
            return TakenPush(.refused(error.code))
        }
    }

    /// Takes up what a dead process left.
    func sweep() async {
        guard !isClosing else { return }
        do throws(PushError) {
            for orphan in try await parts.member.orphans() where !isClosing {
                guard let device = try await parts.fleet.device(orphan.device) else {
                    await parts.member.strike(orphan)
                    continue
                }
                let seat = try await enter(device)
                await parts.member.strike(orphan)
                await seat.listener.takeUp()
                leave(device.id)
            }
        } catch {
            parts.reporter.show(ListenEvent.failed(Failure(error)))
        }
    }

    /// Looks after what waits, and drops what has nothing to do; called every second.
    ///
    /// - Parameter resumes: Whether what wasn't delivered is tried again.
    func look(resuming resumes: Bool) async {
        await withTaskGroup(of: Void.self) { group in
            for (id, seat) in seats {
                group.addTask { [self, slots] in
                    await slots.enter()
                    await seat.listener.lookAfterWaiting()
                    if resumes, await !seat.listener.isIdle { await seat.listener.resume() }
                    await drop(id)
                    await slots.leave()
                }
            }
        }
    }

    /// Judges no more, and returns once no answer is on its way.
    func close() async {
        isClosing = true
        for seat in seats.values { await seat.listener.close() }
    }

    private func enter(_ device: FleetDevice) async throws(PushError) -> Seat {
        while true {
            if var seat = seats[device.id] {
                seat.users += 1
                seats[device.id] = seat
                return seat
            }
            let task =
                opening[device.id]
                ?? Task { [self] in
                    let result = await Result { () async throws(PushError) in
                        try await open(device)
                    }
                    opening[device.id] = nil
                    return result
                }
            opening[device.id] = task
            try await task.value.get()
        }
    }

    private func leave(_ id: FleetDevice.ID) {
        guard var seat = seats[id] else { return }
        seat.users -= 1
        seat.lastUse = .now
        seats[id] = seat
    }

    private func open(_ device: FleetDevice) async throws(PushError) {
        await leaving[device.id]?.value
        // Before anything is on record, so that others find it should this process die.
        try await parts.member.mark(device.id)
        let session: Session
        do throws(Failure) {
            session = try Session(
                on: parts.ground, of: device, verifier: parts.verifier, policies: parts.policies)
        } catch {
            throw PushError(.storage, error.text, underlying: error)
        }
        let reporter = Reporter(
            isJSON: parts.reporter.isJSON, device: device.name, showsDevice: true)
        let events = EventReporter(session.authenticator, reporter)
        let listener = Listener(
            session, policy: parts.policy, show: { await events.show($0) },
            ended: { [parts] status, _ in parts.ended(status) })
        let receiver = PushReceiver(
            session: session, show: { await events.show($0) }, refused: { _ in },
            act: { await listener.takeOwn($0) }, answersFirst: true)
        seats[device.id] = Seat(listener: listener, receiver: receiver)
    }

    private func drop(_ id: FleetDevice.ID) async {
        guard let seat = seats[id], seat.users == 0,
            seat.lastUse.duration(to: .now) > Self.idleTime, await seat.listener.isIdle,
            // Others may have come meanwhile.
            let now = seats[id], now.users == 0, now.lastUse == seat.lastUse
        else { return }
        seats[id] = nil
        let task = Task { [self] in
            await parts.member.unmark(id)
            leaving[id] = nil
        }
        leaving[id] = task
    }
}
