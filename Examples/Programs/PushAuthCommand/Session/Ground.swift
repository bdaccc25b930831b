import PushCore
import PushSealing

/// What all sessions of a process have in common: the configuration, the network, and the whole store.
struct Ground: Sendable {
    let options: GlobalOptions
    let linked: LinkedProviders
    let location: StoreLocation
    let transport: any Transport

    /// What pushes make it ask.
    let questions = VendorQuestions()

    /// What sees all sessions.
    let instruments: [any Instrument]

    /// What opens the keys that answers need.
    let keyGuard: CommandGuard

    /// All records of the store, those of every device of a fleet among them.
    let records: any CredentialStore

    /// - Parameters:
    ///   - options: Where things are.
    ///   - cutoff: What breaks off the exchanges.
    ///   - makesShared: Whether a store that machines share is made if there is none.
    /// - Throws: `Failure` if the store or the configuration can't be used.
    init(
        _ options: GlobalOptions, cutoff: Cutoff = Cutoff(), makingShared makesShared: Bool = false
    ) async throws(Failure) {
        try await self.init(
            options, linked: try options.linkedProviders(), cutoff: cutoff,
            makingShared: makesShared)
    }

    init(
        _ options: GlobalOptions, linked: LinkedProviders, cutoff: Cutoff = Cutoff(),
        makingShared makesShared: Bool = false
    ) async throws(Failure) {
        self.options = options
        self.linked = linked
        keyGuard = try CommandGuard(descriptor: options.guardFd)
        let seen = try options.instruments(linked)
        instruments = seen
        var way: any Transport = CutoffTransport(
            base: try Session.transport(options, linked.configuration), cutoff: cutoff)
        for instrument in seen { way = instrument.around(way) }
        transport = QuestioningTransport(base: way, questions: questions)
        let access = try StoreAccess(options: options, configuration: linked.configuration)
        location = access.location
        records = try await access.open(makingShared: makesShared) { settled in
            for instrument in seen { instrument.note(settled) }
        }
    }

    /// The fleet whose devices the store has; `nil` for the store of one device.
    var fleet: Fleet? { location.tenant.map { Fleet(records, tenant: $0) } }

    /// Whether no device of a fleet is named, so that a listing goes through all.
    var isOfAllDevices: Bool { location.isShared && options.device == nil }

    /// The device that is meant; `nil` where there is no fleet.
    ///
    /// - Throws: `Failure` if a fleet has none of that name, or none was named.
    func device() async throws(Failure) -> FleetDevice? {
        guard let fleet else {
            guard options.device == nil else { throw Fleet.noFleet }
            return nil
        }
        guard let name = options.device else {
            throw Failure(
                .notFound, "The store is a fleet's: name the device by --device.",
                advice: "`pushauth device list` shows them, `pushauth device add NAME` makes one.")
        }
        return try await fleet.device(named: name)
    }

    /// The records of a device.
    func records(of device: FleetDevice?) -> any CredentialStore {
        var own = records
        if let device { own = ScopedStore(records, scope: device.id.scope) }
        for instrument in instruments { own = instrument.around(own) }
        return own
    }
}
