import Foundation
import PushPlatform
import Testing

@testable import PushCore

/// What changes for what comes, as far as the policy alone says so.
struct NotificationPolicyTests {
    private let policy = NotificationPolicy()

    private func notice(
        priority: Notice.Priority = .normal, isIgnorable: Bool = false
    ) -> Notice {
        Notice(
            id: .ada("1"), title: "Log in?", body: "At the\u{202E} shop", priority: priority,
            isIgnorable: isIgnorable, proof: .mac)
    }

    private func asked(
        _ notice: Notice, _ validity: Validity = .valid, isNew: Bool = true, burst: Int? = nil
    ) -> Reception {
        Reception(kind: .notice(notice, validity), isNew: isNew, burst: burst)
    }

    private func over(
        _ reason: Withdrawal.Reason, isIgnorable: Bool = false, isNew: Bool = true
    ) -> Reception {
        Reception(
            kind: .over(Withdrawal(.ada("1"), reason, isIgnorable: isIgnorable)), isNew: isNew)
    }

    private func future(
        isIgnorable: Bool = false, withdraws: Bool = false, isNew: Bool = true
    ) -> Reception {
        Reception(
            kind: .incompatible(
                PushEvent.Incompatible(
                    .ada("1"), kind: "hologram", minimumVersion: "2.0.0", isIgnorable: isIgnorable,
                    withdraws: withdraws)),
            isNew: isNew)
    }

    // MARK: Questions

    @Test
    func `a question shows the proved texts, can be opened and denied, and carries its id alone`()
        throws
    {
        let change = policy.change(for: asked(notice(priority: .high)))
        let shown = try #require(change.shown)
        #expect(shown.title == "Log in?" && shown.body == "At the shop")
        #expect(shown.category == .question)
        #expect(shown.category.actions == [.open, .deny])
        #expect(shown.identifier == "acme/ada/1" && shown.thread == "acme/ada")
        #expect(shown.userInfo == ["push-auth.challenge": "acme/ada/1"])
        #expect(shown.priority == .high && shown.playsSound)
        #expect(policy.change(for: .received(asked(notice(priority: .high)))) == change)
    }

    @Test(arguments: [
        (Notice.Priority.unspecified, LocalNotification.Interruption.timeSensitive),
        (.low, .active), (.normal, .timeSensitive), (.high, .timeSensitive),
    ])
    func `every priority is shown at once; low ones interrupt no focus`(
        priority: Notice.Priority, interruption: LocalNotification.Interruption
    ) {
        let notice = notice(priority: priority)
        #expect(policy.change(for: asked(notice)).shown?.interruption == interruption)
        var calm = policy
        calm.isTimeSensitive = false
        #expect(calm.change(for: asked(notice)).shown?.interruption == .active)
    }

    @Test func `an ignorable question that can be answered is shown`() {
        #expect(policy.change(for: asked(notice(isIgnorable: true))).shown?.category == .question)
    }

    @Test func `one that can't be answered here is dropped if it is ignorable, else told`() {
        let dropped = policy.change(for: asked(notice(isIgnorable: true)), canAnswer: false)
        #expect(dropped == .unchanged)
        let told = policy.change(for: asked(notice()), canAnswer: false).shown
        #expect(told?.category == .unanswerable)
        #expect(told?.category.actions == [])
        #expect(told?.body == "This device can't answer it. Open the app.")
    }

    @Test func `a question that isn't new changes nothing`() {
        #expect(policy.change(for: asked(notice(), isNew: false)) == .unchanged)
    }

    @Test func `a late one is shown without a sound, and says so`() {
        let shown = policy.change(for: asked(notice(), .expired)).shown
        #expect(shown?.playsSound == false && shown?.interruption == .passive)
        #expect(shown?.body == "This request is late. It may no longer be accepted.")
        #expect(policy.change(for: asked(notice(), .uncertain)).shown?.playsSound == true)
    }

    @Test func `one of a burst warns, and one that the burst policy holds back isn't shown`() {
        let flagged = policy.change(for: asked(notice(), burst: 4)).shown
        #expect(
            flagged?.body == "4 requests in a short time. Deny what isn't yours.\nAt the shop")
        let held = asked(notice(), isNew: false, burst: 4)
        #expect(policy.change(for: held) == .unchanged)
        var patient = policy
        patient.showsHeldBack = true
        let silent = patient.change(for: held).shown
        #expect(silent?.playsSound == false && silent?.interruption == .passive)
        #expect(silent?.category == .question)
        #expect(patient.change(for: asked(notice(), isNew: false)) == .unchanged)
    }

    @Test func `an app that wants no sound has none`() {
        var quiet = policy
        quiet.playsSound = false
        #expect(quiet.change(for: asked(notice())).shown?.playsSound == false)
        #expect(quiet.change(for: future()).shown?.playsSound == false)
    }

    // MARK: Ends

    @Test(
        arguments: [Withdrawal.Reason.elsewhere, .cancelled, .finished, .unknown], [true, false])
    func `the end replaces the question without a sound, new or not, and says why`(
        reason: Withdrawal.Reason, isNew: Bool
    ) {
        guard case .replace(let shown) = policy.change(for: over(reason, isNew: isNew)) else {
            Issue.record("not replaced")
            return
        }
        #expect(shown.category == .ended && shown.category.actions == [])
        #expect(!shown.playsSound && shown.interruption == .passive)
        #expect(shown.title == "Request ended")
    }

    @Test func `each reason has its own words`() {
        let reasons: [Withdrawal.Reason] = [.elsewhere, .cancelled, .finished, .expired, .unknown]
        let bodies = reasons.map { reason in
            policy.wording.words(for: .over(Withdrawal(.ada("1"), reason))).body
        }
        #expect(Set(bodies).count == reasons.count)
    }

    @Test func `an ignorable end, and one by time, removes it; so does a policy that says so`() {
        let removal = NotificationChange.remove(.ada("1"))
        #expect(policy.change(for: over(.cancelled, isIgnorable: true)) == removal)
        #expect(policy.change(for: over(.expired)) == removal)
        var tidy = policy
        tidy.ending = .remove
        #expect(tidy.change(for: over(.elsewhere)) == removal)
        let refusal = Outcome.notTaken(.init(.verification, mayRetry: false))
        #expect(tidy.change(for: .outcome(.ada("1"), refusal)) == removal)
        #expect(tidy.change(for: .outcome(.ada("1"), .answeredElsewhere)) == removal)
    }

    @Test func `a question that was answered here is removed`() {
        let reception = Reception(kind: .answered(notice(), .approve), isNew: false)
        #expect(policy.change(for: reception) == .remove(.ada("1")))
    }

    @Test(arguments: [
        (Outcome.delivered, NotificationChange.remove(.ada("1"))),
        (.code("123"), .remove(.ada("1"))),
        (.unknown("lost"), .remove(.ada("1"))), (.expired, .remove(.ada("1"))),
        (.verifyAgain, .unchanged),
        (.notTaken(.init(.wrongChoice, mayRetry: true)), .unchanged),
    ])
    func `an answer's outcome removes the question, unless the user is still at it`(
        outcome: Outcome, change: NotificationChange
    ) {
        #expect(policy.change(for: .outcome(.ada("1"), outcome)) == change)
    }

    @Test func `a final no, and an answer from elsewhere, are told in its place`() {
        let refusal = Outcome.notTaken(.init(.verification, mayRetry: false))
        for (outcome, body) in [
            (refusal, "Your answer wasn't accepted."),
            (.answeredElsewhere, "It was answered on another device."),
            (.ended, "It's over."),
        ] {
            guard case .replace(let shown) = policy.change(for: .outcome(.ada("1"), outcome)) else {
                Issue.record("not replaced")
                continue
            }
            #expect(shown.category == .ended && shown.body == body)
        }
    }

    @Test func `a removed enrollment takes all its notifications along`() {
        #expect(policy.change(for: .removed(.ada)) == .removeAll(.ada))
    }

    @Test func `nothing is shown for an enrollment or the inbox`() {
        let enrollment = Enrollment(id: .ada, state: .active, created: morning)
        #expect(policy.change(for: .enrollment(enrollment)) == .unchanged)
        let message = InboxMessage(id: "1", subject: "News", isRead: false)
        for kind in [Reception.Kind.enrollment(enrollment), .inbox(.ada, message)] {
            #expect(policy.change(for: Reception(kind: kind, isNew: true)) == .unchanged)
        }
    }

    // MARK: Newer than this version

    @Test func `what isn't understood is told once, with the version, and can't be answered`() {
        let shown = policy.change(for: future()).shown
        #expect(shown?.category == .incompatible && shown?.category.actions == [])
        #expect(shown?.body.contains("2.0.0") == true)
        #expect(policy.change(for: future(isNew: false)) == .unchanged)
    }

    @Test func `what isn't understood is dropped if it is ignorable, or the app says so`() {
        #expect(policy.change(for: future(isIgnorable: true)) == .unchanged)
        var silent = policy
        silent.showsIncompatible = false
        #expect(silent.change(for: future()) == .unchanged)
    }

    @Test func `an end that isn't understood in full still ends the question`() {
        guard case .replace(let shown) = policy.change(for: future(withdraws: true)) else {
            Issue.record("not replaced")
            return
        }
        #expect(shown.category == .ended)
        let ignorable = future(isIgnorable: true, withdraws: true)
        #expect(policy.change(for: ignorable) == .remove(.ada("1")))
    }

    // MARK: Words

    @Test func `an app's own words replace all of ours`() {
        struct German: NotificationWording {
            func words(for occasion: NotificationOccasion) -> NotificationWords {
                switch occasion {
                case .challenge: NotificationWords(title: "Anmeldung", body: "Bitte öffnen.")
                default: NotificationWords(title: "Vorbei", body: "")
                }
            }

            func label(of action: LocalNotification.Action) -> String { "\(action)" }
        }
        let german = NotificationPolicy(wording: German())
        #expect(german.change(for: asked(notice())).shown?.title == "Anmeldung")
        #expect(german.change(for: future()).shown?.title == "Vorbei")
        #expect(german.change(for: asked(notice()), canAnswer: false).shown?.title == "Vorbei")
        guard case .replace(let shown) = german.change(for: over(.elsewhere)) else {
            Issue.record("not replaced")
            return
        }
        #expect(shown.title == "Vorbei")
    }

    @Test func `a vendor that gives no texts gets plain ones, and each button has a label`() {
        let bare = Notice(id: .ada("1"), proof: .mac)
        let shown = policy.change(for: asked(bare)).shown
        #expect(shown?.title == "Request to confirm" && shown?.body == "Open it to answer.")
        #expect(LocalNotification.Action.allCases.map(policy.wording.label) == ["Open", "Deny"])
    }
}

extension NotificationChange {
    fileprivate var shown: LocalNotification? {
        if case .show(let notification) = self { notification } else { nil }
    }
}
