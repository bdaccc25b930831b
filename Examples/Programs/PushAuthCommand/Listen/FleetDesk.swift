import PushCore

/// The devices of a fleet for which this process has something to do, each with an authenticator of its
/// own: made for a push, and dropped when nothing is left.
actor FleetDesk {
    /// What each device's part is made of.
    struct Parts: Sendable {
        let ground: Ground
        let fleet: Fleet
        let policy: StandingPolicy
        let behavior: PushConfiguration
        let verifier: CommandUser
        let reporter: Reporter
        /// Called with the exit status of each answer.
        let ended: @Sendable (ExitStatus) -> Void
    }

    private struct Seat {
        let session: Session
        let listener: Listener
        let receiver: PushReceiver
        /// How many have it in their hands.
        var users = 0
        var lastUse = ContinuousClock.now
    }

    /// How long a device is kept for the next push, once it has nothing to do.
    private static let idleTime = Duration.seconds(10)

    /// How many devices are looked after at the same time, beside the pushes.
    private static let width = 16

    /// What is taken up, and what a day brings, begins so; a vendor that doesn't answer keeps no device
    /// waiting for long.
    private let places = Slots(FleetDesk.width)

    private let parts: Parts
    private let backlog: Backlog
    private var seats: [FleetDevice.ID: Seat] = [:]

    /// The devices whose vendors are asked just now.
    private var polled: Set<FleetDevice.ID> = []
    private var isClosing = false

    init(_ parts: Parts, _ backlog: Backlog) {
        self.parts = parts
        self.backlog = backlog
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
            let seat = try enter(device)
            return await seat.receiver.take(push).mapping { taken in
                taken.ending { await self.leave(id) }
            }
        } catch {
            // A device's record that is damaged is no fault of the push.
            let code = error.code == .malformed ? .storage : error.code
            parts.reporter.show(ListenEvent.push(push, .refused(code)))
            return TakenPush(.refused(code))
        }
    }

    /// Takes up what other processes left, and returns once it has begun with all of it.
    ///
    /// - Parameter isOwn: Whether it was perhaps this one, before it started again.
    func takeUp(isOwn: Bool = false) async {
        await reportingFailure { () async throws(PushError) in
            for (id, open) in try await backlog.due(takingAll: isOwn).shuffled() {
                guard !Task.isCancelled else { return }
                await places.begin { [self] in await takeUp(open, of: id) }
            }
        }
    }

    private func takeUp(_ open: [Challenge.ID], of id: FleetDevice.ID) async {
        // If a push of this device is being handled, its handler continues.
        guard seats[id]?.users ?? 0 == 0 else { return }
        await withSeat(of: id) { seat in
            guard await seat.listener.takeUp(judging: !open.isEmpty) else { return }
            await backlog.noteJudged(open, of: id)
        }
    }

    /// Does for devices what a day brings: a vendor is told the device token that it couldn't be
    /// told before.
    func care(for ids: [FleetDevice.ID]) async {
        for id in ids {
            guard !Task.isCancelled else { return }
            await places.begin { [self] in await care(for: id) }
        }
    }

    private func care(for id: FleetDevice.ID) async {
        await withSeat(of: id) { _ = await $0.listener.takeUp(judging: false) }
    }

    /// Asks a device's vendors what waits, unless one hasn't answered the last time yet.
    func poll(_ id: FleetDevice.ID) async {
        guard polled.insert(id).inserted else { return }
        await withSeat(of: id) { await $0.listener.poll() }
        polled.remove(id)
    }

    /// Looks after what waits, and drops what has nothing to do; called every second.
    func look() async {
        await withTaskGroup(of: Void.self) { group in
            for (number, (id, seat)) in seats.enumerated() {
                if number >= Self.width { await group.next() }
                group.addTask { [self] in
                    await seat.listener.look()
                    await drop(id)
                }
            }
        }
    }

    /// Judges no more, and returns once no answer is on its way.
    func close() async {
        isClosing = true
        for seat in seats.values { await seat.listener.close() }
    }

    // MARK: Seats

    private func withSeat(
        of id: FleetDevice.ID, _ body: (Seat) async -> Void
    ) async {
        guard !isClosing else { return }
        await reportingFailure { () async throws(PushError) in
            guard let device = try await parts.fleet.device(id), !isClosing else { return }
            await body(try enter(device))
            leave(id)
        }
    }

    private func enter(_ device: FleetDevice) throws(PushError) -> Seat {
        var seat: Seat
        if let known = seats[device.id] { seat = known } else { seat = try made(for: device) }
        seat.users += 1
        seats[device.id] = seat
        return seat
    }

    private func leave(_ id: FleetDevice.ID) {
        seats[id]?.users -= 1
        seats[id]?.lastUse = .now
    }

    private func made(for device: FleetDevice) throws(PushError) -> Seat {
        let session: Session
        do throws(Failure) {
            session = try Session(
                on: parts.ground, of: device, verifier: parts.verifier,
                behavior: parts.behavior)
        } catch {
            throw PushError(.storage, error.text, underlying: error)
        }
        let reporter = Reporter(
            isJSON: parts.reporter.isJSON, device: device.name, showsDevice: true)
        let events = EventReporter(session.authenticator, reporter)
        let listener = Listener(
            session, policy: parts.policy, show: { await events.show($0) },
            ended: { [parts] status, _ in parts.ended(status) })
        return Seat(
            session: session, listener: listener,
            receiver: PushReceiver(
                session: session, show: { await events.show($0) }, refused: { _ in },
                act: { await listener.take($0) }))
    }

    private func drop(_ id: FleetDevice.ID) async {
        guard let seat = seats[id], seat.users == 0,
            seat.lastUse.duration(to: .now) > Self.idleTime, await seat.listener.isIdle(),
            // Others may have come meanwhile.
            let now = seats[id], now.users == 0, now.lastUse == seat.lastUse
        else { return }
        seats[id] = nil
    }

    private func reportingFailure(_ body: () async throws(PushError) -> Void) async {
        do throws(PushError) {
            try await body()
        } catch {
            parts.reporter.show(ListenEvent.failed(Failure(error)))
        }
    }
}
