import Foundation
import Testing

@testable import PushCore

struct ValueTests {
    private let notice = Notice(id: .ada("1"), proof: .mac)

    @Test func `an error's description holds the code, the provider and the reason`() {
        struct Leaky: Error { let secret = "hunter2" }
        let error = PushError(.untrusted, "The MAC doesn't hold.", underlying: Leaky())
        #expect("\(error)" == "untrusted: The MAC doesn't hold.")
        #expect("\(error.attributed(to: "acme"))" == "untrusted (acme): The MAC doesn't hold.")
        #expect(error.attributed(to: "acme").attributed(to: "other").provider == "acme")
        #expect(error.attributed(to: "acme").underlying is Leaky)
    }

    @Test(arguments: [Resolution.enter("4711"), .choose("4711"), .deny(.custom("4711"))])
    func `an error's description doesn't hold what the user entered`(resolution: Resolution) {
        let error = PushError(.decidedOtherwise(resolution), "Another decision stands.")
        #expect("\(error)" == "decidedOtherwise: Another decision stands.")
    }

    @Test(
        arguments: [
            (Challenge.Prompt.approve, Resolution.approve, nil), (.approve, .deny(.fraud), nil),
            (.approve, .choose("1"), PushError.Code.invalidResolution),
            (.approve, .enter("1"), .invalidResolution), (.choose(["1", "2"]), .choose("2"), nil),
            (.choose(["1", "2"]), .choose("3"), .invalidResolution),
            (.choose(["1", "2"]), .choose(""), .invalidResolution),
            (.choose(["1", "2"]), .approve, .invalidResolution),
            (.choose(["1", "2"]), .enter("1"), .invalidResolution),
            (.choose(["1"]), .deny(.ignore), nil),
            (.enter(digits: 2), .enter("07"), nil),
            (.enter(digits: 2), .enter("7"), .invalidResolution),
            (.enter(digits: 2), .enter("007"), .invalidResolution),
            (.enter(digits: 2), .enter("0x"), .invalidResolution),
            (.enter(digits: 2), .enter("٠٧"), .invalidResolution),
            (.enter(digits: 2), .approve, .invalidResolution),
            (.denyOnly("new"), .approve, .unsupported),
            (.denyOnly("new"), .choose("1"), .unsupported),
            (.denyOnly("new"), .deny(.custom("")), nil),
        ] as [(Challenge.Prompt, Resolution, PushError.Code?)])
    func `a prompt takes its own kind of answer, and always a no`(
        prompt: Challenge.Prompt, resolution: Resolution, refusal: PushError.Code?
    ) {
        #expect(code { try prompt.check(resolution) } == refusal)
    }

    @Test func `each reason for a no has a name of its own, which finds it unless it has a text`() {
        let reasons = DenyReason.plain + [.custom("fraud")]
        #expect(reasons.map(\.name) == ["unexpected", "fraud", "ignore", "custom"])
        #expect(reasons.compactMap { DenyReason(name: $0.name) } == DenyReason.plain)
    }

    @Test(arguments: [0, -1])
    func `an entry of no digits can only be denied`(digits: Int) {
        let notice = Notice(id: .ada("1"), proof: .mac)
        let challenge = Challenge(for: notice, prompt: .enter(digits: digits))
        #expect(code { try challenge.prompt.check(.enter("")) } == .unsupported)
        #expect(code { try challenge.prompt.check(.deny(.unexpected)) } == nil)
    }

    @Test(
        arguments: [
            ([[Factor]](), true), ([[]], true), ([[.presence]], true), ([[.pin]], true),
            ([[.newPIN]], true), ([[.biometry]], false), ([[.biometry], [.pin]], true),
            ([[.pin, .biometry]], false), ([[.pin, .presence]], true),
            ([[.code("by mail")]], false),
            ([[.deviceCredential]], false),
        ] as [([[Factor]], Bool)])
    func `evidence must prove one whole alternative`(asked: [[Factor]], proved: Bool) {
        let evidence: [Evidence] = [.presence, .pin(secret("1234"))]
        #expect(evidence.satisfies(asked) == proved)
    }

    @Test func `each kind of evidence proves its own factor`() {
        let all: [(Evidence, [Factor])] = [
            (.presence, [.presence]), (.pin(Secret([])), [.pin, .newPIN]),
            (.biometry(nil), [.biometry, .newBiometry]), (.deviceCredential, [.deviceCredential]),
            (.code(Secret([])), [.code("x")]),
        ]
        let factors: [Factor] = [
            .presence, .pin, .newPIN, .biometry, .newBiometry, .deviceCredential, .code("x"),
        ]
        for (evidence, proved) in all {
            #expect(factors.filter { evidence.proves($0) } == proved)
        }
    }

    @Test func `a style can only take alternatives away`() throws {
        let asked: [[Factor]] = [[.biometry], [.deviceCredential], [.pin, .deviceCredential]]
        #expect(try VerificationStyle().narrowed(asked) == asked)
        let strict = VerificationStyle(allowsDeviceCredential: false)
        #expect(try strict.narrowed(asked) == [[.biometry]])
    }

    @Test(
        arguments: [
            (90.0, 180.0, true), (-90, -180, true), (90.1, 0, false), (0, 180.1, false),
            (.nan, 0, false), (0, .infinity, false),
        ] as [(Double, Double, Bool)])
    func `coordinates are on the globe`(latitude: Double, longitude: Double, valid: Bool) {
        #expect((Challenge.Place(latitude: latitude, longitude: longitude) != nil) == valid)
    }

    @Test func `a plugin's details and extras come back as their own type only`() {
        let content = Challenge.Content(details: 42)
        let challenge = Challenge(for: notice, prompt: .approve, content: content)
        #expect(challenge.details(as: Int.self) == 42)
        #expect(challenge.details(as: String.self) == nil)
        let decision = Decision(
            Announcement(notice), .approve, challenge: challenge, evidence: [], extras: "proof")
        #expect(decision.extras(as: String.self) == "proof")
        #expect(decision.extras(as: Int.self) == nil)
    }

    @Test func `a context is read once for its announcement and copies, and not printed`() throws {
        let announcement = Announcement(notice, context: Secret("hunter2".utf8))
        func read(_ secret: Secret) -> String { secret.copiedText() }
        #expect(try announcement.context(read) == "hunter2")
        let copy = announcement
        #expect(try copy.context { _ in "again" } == "hunter2")
        var printed = "\(announcement)"
        dump(announcement, to: &printed)
        #expect(!printed.contains("hunter2"))
        #expect(try copy.context(\.count) == 7)
    }

    @Test func `an event tells its provider`() {
        let announcement = Announcement(notice)
        let events: [PushEvent] = [
            .notice(announcement), .withdrawal(Withdrawal(.ada("1"), .unknown)),
            .incompatible(PushEvent.Incompatible(.ada("1"), kind: "x")),
            .hint(PushEvent.Hint(.challenges, at: [.ada])),
        ]
        #expect(events.allSatisfy { $0.provider == "acme" })
        #expect(PushEvent.hint(PushEvent.Hint(.challenges, at: [])).provider == nil)
    }

    @Test func `secrets of invitations aren't printed`() {
        let invitations: [Invitation] = [
            .scanned(text: "hunter2"), .typed(text: "hunter2"),
            .credentials(user: "ada", password: secret("hunter2")),
        ]
        for invitation in invitations {
            var dumped = ""
            dump(invitation, to: &dumped)
            #expect(!"\(invitation)".contains("hunter2") && !dumped.contains("hunter2"))
        }
    }

    @Test func `this machine is of a known family`() {
        #if canImport(Darwin)
        #expect(Device(name: "x").platform == .apple)
        #elseif os(Linux)
        #expect(Device(name: "x").platform == .other)
        #endif
    }

    @Test func `an observation holds a fixed sentence`() {
        let observation = PushObservation(.noticed, "Odd.", provider: "acme")
        #expect(observation.summary == "Odd." && observation.count == 1)
        SilentObserver().observe(observation)
    }
}
