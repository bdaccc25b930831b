import PushCore

@testable import FictionalVendor

extension Acme.Options {
    /// What kind of vendor it is in one schedule.
    init(drawing random: inout Draw) {
        self.init()
        capabilities = [.denyReasons, .tokenUpdate, .tokenRemoval, .serverRemoval]
        (isTwoPhase, takesPINAgain) = (true, true)
        kept = random.pick([.whole, .whole, .wholeOnceOpen, .part, .nothing])
        over = random.pick(Over.allCases)
        knowsStatus = random.percent(80)
        counts = random.percent(60)
        numbered = random.percent(50) ? .all : .tokens
        isStrict = numbered == .all && random.percent(60)
        if !isKeptWhole || random.percent(25) { verification = [[.pin]] }
        pushesHints = random.percent(15)
        fetches = random.percent(25)
        attempts = 1 + random.below(3)
        if pushesHints || random.percent(80) { capabilities.insert(.pendingList) }
        datesReplies = random.percent(75)
        listsAll = capabilities.contains(.pendingList) && random.percent(50)
        isMoody = random.percent(40)
    }

    /// Whether what ended at the vendor can be found there without a push.
    var tellsEnds: Bool { listsAll && knowsStatus && over != .gone }

    /// Whether an answer's bytes are kept, so that each copy of it is the same.
    var isKeptWhole: Bool { kept == .whole || kept == .wholeOnceOpen }

    /// Whether the vendor can always say what became of an answer whose reply was lost.
    var canTell: Bool {
        let repliesTell = over == .idempotent || over == .explains
        let statusTells = knowsStatus && over != .gone
        return kept == .whole && repliesTell || statusTells
    }
}
