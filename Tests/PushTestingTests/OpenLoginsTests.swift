import PushCore
import PushTesting
import Testing

/// A vendor that lets one login wait at a time is checked as closely as any other.
struct OpenLoginsTests {
    private func findings(
        _ flaw: OnlineAcme.Flaw? = nil, second: AcmeServer.SecondLogin, openLogins: Int = 1
    ) async -> [String] {
        await ProviderConformance.check { () async throws(PushError) in
            let clock = ManualClock(AcmeWire.now)
            let server = AcmeServer(clock: clock, second: second)
            var fixtures = VendorFixtures(simulator: server, clock: clock) {
                OnlineAcme(flaw, in: $0)
            }
            fixtures.openLogins = openLogins
            return fixtures
        }
    }

    @Test(arguments: [AcmeServer.SecondLogin.isRefused, .replacesTheFirst])
    func `a sound provider conforms`(second: AcmeServer.SecondLogin) async {
        let found = await findings(second: second)
        #expect(found == [])
    }

    @Test func `two logins are begun where the fixtures say that two may wait`() async {
        let refused = await findings(second: .isRefused, openLogins: 2)
        let isRefused = refused.contains { $0.hasPrefix("list: an unexpected error: conflict") }
        #expect(isRefused, "\(refused)")
        let replaced = await findings(second: .replacesTheFirst, openLogins: 2)
        let isReplaced = replaced.contains { $0.hasPrefix("list: a list brings 1 of 2 logins") }
        #expect(isReplaced, "\(replaced)")
    }

    @Test(
        arguments: [
            (OnlineAcme.Flaw.listsAnew, "list: two lists say different things of one login"),
            (.renamesListed, "list: what a list brought is another challenge when it comes again"),
        ] as [(OnlineAcme.Flaw, String)])
    func `a flaw of a list is found`(flaw: OnlineAcme.Flaw, sentence: String) async {
        let found = await findings(flaw, second: .isRefused)
        let isFound = found.contains { $0.hasPrefix(sentence) }
        #expect(isFound, "\(found)")
    }
}
