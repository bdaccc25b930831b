import PushCore

/// What kind of vendor the fictional Delta is in one schedule.
struct DeltaOptions: Hashable, Sendable {
    /// How a reply speaks of a challenge that is over.
    enum Over: String, CaseIterable, Sendable {
        /// The same answer again is taken for the first one; another is told who answered.
        case idempotent
        /// 410, with the reason and the choice that was taken.
        case explains
        /// 409: it was answered, but not with what.
        case answered
        /// 404: it is gone.
        case gone
    }

    var kept = Kept.Form.whole
    var over = Over.idempotent
    /// Whether the vendor says how a challenge stands.
    var knowsStatus = true
    /// Whether each answer carries a counter that its bytes are bound to.
    var countsAnswers = true
    /// Whether each request carries a number of its own; where tokens change, it always does.
    var numbersRequests = true
    /// Whether a request's number must be greater than any before.
    var isStrict = false
    /// Whether an approval needs a PIN.
    var asksPIN = false
    /// Whether a push says no more than that something waits.
    var pushesHints = false
    /// Whether opening a challenge asks the vendor.
    var fetches = false
    var listsPending = true
    /// Whether the vendor's list is whole.
    var listsCompletely = false
    /// Whether it refuses some answers for now, though nothing is wrong with them.
    var isMoody = false
    /// Whether the device has a second provider, whose push service is another.
    var hasTwoServices = false
    /// How many wrong numbers it takes.
    var attempts = 3
    /// Whether its replies tell the time.
    var tellsTime = true

    init(drawing random: inout Draw) {
        kept = random.pick([.whole, .whole, .wholeOnceOpen, .part, .nothing])
        over = random.pick(Over.allCases)
        knowsStatus = random.percent(80)
        countsAnswers = random.percent(60)
        numbersRequests = random.percent(50)
        isStrict = numbersRequests && random.percent(60)
        asksPIN = !isKeptWhole || random.percent(25)
        pushesHints = random.percent(15)
        fetches = random.percent(25)
        attempts = 1 + random.below(3)
        listsPending = pushesHints || random.percent(80)
        tellsTime = random.percent(75)
        listsCompletely = listsPending && random.percent(50)
        isMoody = random.percent(40)
        hasTwoServices = random.percent(30)
    }

    var capabilities: Capabilities {
        var all: Capabilities = [.denyReasons, .tokenUpdate, .tokenRemoval, .serverRemoval]
        if listsPending { all.insert(.pendingList) }
        return all
    }

    /// The providers on the device, and the push services that each takes.
    var providers: [(id: ProviderID, services: [PushService])] {
        let first: (ProviderID, [PushService]) = ("delta", [.fcm])
        return hasTwoServices ? [first, ("delta-two", [.apns, .fcm])] : [first]
    }

    /// Whether what ended at the vendor can be found there without a push.
    var tellsEnds: Bool { listsCompletely && knowsStatus && over != .gone }

    /// Whether an answer's bytes are kept, so that each copy of it is the same.
    var isKeptWhole: Bool { kept == .whole || kept == .wholeOnceOpen }

    /// Whether the vendor can always say what became of an answer whose reply was lost.
    var canTell: Bool {
        let repliesTell = over == .idempotent || over == .explains
        let statusTells = knowsStatus && over != .gone
        return kept == .whole && repliesTell || statusTells
    }
}
