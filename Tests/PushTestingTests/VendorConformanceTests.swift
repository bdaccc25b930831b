import PushCore
import PushTesting
import Testing

/// The check against a vendor's server passes what is sound, and finds each flaw.
struct VendorConformanceTests {
    private func findings(
        _ flaw: OnlineAcme.Flaw? = nil, in topics: Set<String>? = nil
    ) async -> [String] {
        await ProviderConformance.check(topics) { () async throws(PushError) in
            let clock = ManualClock(AcmeWire.now)
            let server = AcmeServer(clock: clock, endsAtWrongNumbers: flaw == .keepsNumbersOpen)
            return VendorFixtures(simulator: server, clock: clock) { OnlineAcme(flaw, in: $0) }
        }
    }

    @Test func `a sound provider conforms`() async {
        let findings = await findings()
        #expect(findings == [])
    }

    /// Each flaw, and the sentence that tells of it, which begins with the part that finds it.
    private static let table: [(OnlineAcme.Flaw, String)] = [
        (
            OnlineAcme.Flaw.offersAnything,
            "enrollment: a stranger's code isn't left alone: “hello”"
        ),
        (.offersForAnother, "enrollment: an offer is another provider's"),
        (.staysPending, "enrollment: an enrollment doesn't become active"),
        (.answersNobody, "enrollment: an enrollment can't be used"),
        (.removesNothing, "enrollment: what was removed is still in the store"),
        (
            .enrollsWithAnybody,
            "enrollment with a spoiled exchange: an enrollment stands that can't be used after "
                + "a portal's page with status 200: notFound"
        ),
        (
            .keepsWhatFailed,
            "enrollment with a spoiled exchange: an enrollment stands that can't be used after "
                + "an unreachable server: notFound"
        ),
        (
            .saysDone,
            "enrollment with a spoiled exchange: an enrollment that failed is said to be done "
                + "after a lost request"
        ),
        (
            .spendsInvitations,
            "enrollment with a spoiled exchange: nobody can enroll after an unreachable server: "
                + "notFound"
        ),
        (.answersNobody, "answer: the server doesn't have a yes"),
        (.sendsEarly, "answer: an answer is sent while it's prepared"),
        (.refusesCopies, "answer: a copy of an answer that was taken is said to be…"),
        (.saysNothing, "answer: a yes isn't said to be delivered…"),
        (.endsCopies, "answer: a copy of an answer that was taken ends its challenge"),
        (.changesCopies, "answer: a copy of an answer changes what it says"),
        (
            .believesPortals,
            "answer with a spoiled exchange: a yes after a portal's page with status 200 is "
                + "said to be delivered, and isn't"
        ),
        (
            .believesSilence,
            "answer with a spoiled exchange: a no after a lost request is never delivered"
        ),
        (
            .believesGateways,
            "answer with a spoiled exchange: a yes after a gateway's page with status 403: its "
                + "challenge is open again"
        ),
        (
            .endsAtGateways,
            "answer with a spoiled exchange: a no after a gateway's page with status 404: a "
                + "challenge that waits is said to be over"
        ),
        (
            .saysExpired,
            "answer with a spoiled exchange: a yes after a lost reply ends as expired"
        ),
        (.listsOne, "list: a list brings 1 of 2 logins…"),
        (.listsForAnother, "foreign list: a list brings what is another enrollment's"),
        (.listsAnew, "list: two lists say different things of one login"),
        (.renamesListed, "list: what a list brought is another challenge when it comes again"),
        (.listsIncompletely, "list: a list that was read whole isn't complete"),
        (
            .believesPages,
            "list: a challenge that waits is closed after a gateway's page with status 503"
        ),
        (.forgetsAfterAnswer, "list: what waits is closed when another is answered…"),
        (.inventsList, "list: a list is complete that the vendor doesn't have"),
        (.takesForeignEntries, "foreign list: an entry of another enrollment's list is taken"),
        (.skipsForeignEntries, "foreign list: a foreign list closes what waits"),
        (.tellsInError, "list: an error tells a secret"),
        (.tellsInResult, "answer with a spoiled exchange: a result tells a secret"),
        (.tellsInEnrollment, "enrollment: an enrollment tells a secret"),
        (.tellsInNotice, "answer: a notice tells a secret"),
        (.tellsInName, "enrollment: the name of a record in the store tells a secret"),
        (.tellsInObservation, "answer: an observation tells a secret"),
        (.tellsInvitation, "enrollment with a spoiled exchange: an error tells a secret"),
        (
            .enrollsUnread,
            "enrollment with a changed reply: an enrollment stands that can't be used after key "
                + "dropped…"
        ),
        (.isNotScoped, "enrollment: a request isn't the provider's…"),
        (.asksForNoProof, "answer: a yes that wants biometry is asked without a proof…"),
        (.asksForNoNumber, "answer: a yes that wants a number is asked without one…"),
        (
            .believesOtherSuccess,
            "answer with a spoiled exchange: a yes after a portal's page with status 202 is said to be delivered, and isn't"
        ),
        (
            .endsAtThrottles,
            "answer with a spoiled exchange: a no after a gateway's page with status 429: a challenge that waits is said to be over"
        ),
        (
            .refusesUnknownWords,
            "answer with a changed reply: a yes after acme doubled is said to be…"
        ),
        (.endsUnreadAnswers, "answer with a changed reply: a no after acme dropped…"),
        (
            .endsWrongNumbers,
            "wrong number: a wrong number: expected a challenge that is open again…"
        ),
        (.keepsNumbersOpen, "wrong number: a wrong number: expected a challenge that is over…"),
        (
            .approvesUnknownDetails,
            "opening with a spoiled reply: a yes is easier with prompt doubled…"
        ),
        (
            .approvesUnknownProofs,
            "opening with a spoiled reply: a yes is easier with proof doubled…"
        ),
        (
            .endsUnreadDetails,
            "opening with a spoiled reply: what waits is over with acme made null…"
        ),
        (
            .endsAtUnknownWords,
            "opening with a spoiled reply: what waits is said to be over with acme doubled…"
        ),
        (
            .listsUnknownProofs,
            "list with a spoiled reply: a yes is easier with items.0.proof doubled…"
        ),
        (
            .skipsUnreadableEntries,
            "list with a spoiled reply: a list is complete with items.0 made null…"
        ),
        (
            .takesNothingForEmpty,
            "list with a spoiled reply: a list is complete with items dropped…"
        ),
        (
            .endsAtUnreadLists,
            "list with a spoiled reply: what waits is over with items dropped…"
        ),
        (
            .endsOpeningAtPages,
            "opening with a spoiled reply: what waits is over with a gateway's page with status 404…"
        ),
        (
            .endsStatusAtPages,
            "opening with a spoiled reply: what waits is said to be over with a gateway's page with "
                + "status 502…"
        ),
        (
            .listsNothingAtPages,
            "list with a spoiled reply: a list is complete with a portal's page with status 200…"
        ),
        (
            .addsUnread,
            "list with a spoiled reply: a list brings what nobody began with items.0 made null"
        ),
        (.escapesGuards, "a guard: an enrollment isn't guarded as it was chosen"),
        (.saysNothing, "answer: an answer isn't taken…"),
        (
            .believesGateways,
            "answer with a spoiled exchange: a yes after a gateway's page with status 403 is said to be "
                + "notTaken…"
        ),
    ]

    @Test(arguments: table)
    func `a flaw is found`(flaw: OnlineAcme.Flaw, sentence: String) async {
        let topic = String(sentence.prefix { $0 != ":" })
        let found = await findings(flaw, in: [topic])
        #expect(found.tell(sentence), "\(found)")
    }

    /// The core has the proof before it asks for an answer. That a question is asked twice, or that memory
    /// keeps what the store has lost, breaks no promise that a check could see.
    private static let unseen: [OnlineAcme.Flaw] = [
        .preparesWithoutProof, .asksTwice, .keepsSecrets,
    ]

    @Test func `the table has every flaw, but three that no check sees`() async {
        #expect(Set(Self.table.map(\.0)).union(Self.unseen) == Set(OnlineAcme.Flaw.allCases))
        for flaw in Self.unseen {
            let found = await findings(flaw)
            #expect(found == [])
        }
    }

    @Test func `a vendor that can't be set up is reported, not passed`() async {
        let found = await ProviderConformance.check { () async throws(PushError) in
            throw PushError(.invalidArgument, "There is no server.")
        }
        #expect(found.count == 13)
        #expect(found.allSatisfy { $0.contains("an unexpected error") })
    }
}
