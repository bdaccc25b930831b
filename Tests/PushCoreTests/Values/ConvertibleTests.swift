import Foundation
import Testing

@testable import PushCore

/// What the core keeps as JSON comes back as it was.
struct ConvertibleTests {
    private func survives<Value: JSONConvertible & Equatable>(_ value: Value) throws {
        #expect(try Value(json: JSON(parsing: value.json.data)) == value)
    }

    @Test func `every resolution survives`() throws {
        let all: [Resolution] = [
            .approve, .choose("34"), .enter("007"), .deny(.unexpected), .deny(.fraud),
            .deny(.ignore), .deny(.custom("No\n\"thanks\"")),
        ]
        for value in all { try survives(value) }
        #expect(all.map(\.isDenial) == [false, false, false, true, true, true, true])
        // As they stand in records that were written before.
        #expect(
            all.map { $0.json["is"] } == [
                "approve", "choose", "enter", "unexpected", "fraud", "ignore", "custom",
            ])
    }

    @Test func `every outcome survives`() throws {
        let whys: [Outcome.Refusal.Reason] = [
            .wrongChoice, .verification, .wrongChoiceOrOver, .stateChanged, .unavailable, .other,
        ]
        let refusals = whys.map { Outcome.notTaken(.init($0, mayRetry: true)) }
        let all: [Outcome] =
            refusals + [
                .delivered, .expired, .answeredElsewhere, .ended, .code("1234"),
                .code("42", message: "Type it there"), .verifyAgain,
                .unknown("Cut off."),
                .notTaken(.init(.verification, mayRetry: false, attemptsLeft: 0, status: 401)),
            ]
        for value in all { try survives(value) }
        #expect(all.filter(\.mayReopen).count == whys.count)
    }

    @Test func `every enrollment survives`() throws {
        let states: [Enrollment.State] = [
            .active, .blocked("policy"), .needsReenrollment, .pending(.unconfirmed),
            .pending(.comparison(code: "12 34")), .pending(.deviceToken),
        ]
        let tokens: [DeviceToken?] = [
            nil, .apns(hex: "AB", isSandbox: true), .apns(hex: "CD", isSandbox: false), .fcm("x:y"),
        ]
        for state in states {
            for token in tokens {
                var value = Enrollment(
                    id: .ada, issuer: "Acme", account: nil, host: "acme.example", state: state,
                    created: Date(timeIntervalSinceReferenceDate: 0.1))
                value.deviceToken = token
                try survives(value)
            }
        }
    }

    @Test func `every withdrawal and notice survives`() throws {
        let reasons: [Withdrawal.Reason] = [.elsewhere, .cancelled, .finished, .expired, .unknown]
        for reason in reasons { try survives(Withdrawal(.ada("é/\"1"), reason, isIgnorable: true)) }
        for priority in [Notice.Priority.unspecified, .low, .normal, .high] {
            for proof in [Notice.Proof.fetched, .mac, .signature] {
                try survives(
                    Notice(
                        id: .ada("1"), title: "T", body: "B", priority: priority,
                        isIgnorable: true, issued: morning,
                        expiry: Date(timeIntervalSince1970: 1.3),
                        proof: proof))
                try survives(Notice(id: .ada("1"), priority: priority, proof: proof))
            }
        }
    }

    @Test(arguments: [
        JSON.null, [], [:], ["is": "sing"], ["is": 1], ["is": "choose"], ["is": "unknown"],
        ["is": "notTaken"], ["is": "blocked"], ["is": "comparison"],
        ["service": "pigeon", "token": ""],
        ["is": "custom", "text": 1], ["id": [:], "reason": "cancelled", "ignorable": true],
    ])
    func `records of another shape are refused`(json: JSON) {
        #expect(code { try Resolution(json: json) } == .malformed)
        #expect(code { try Outcome(json: json) } == .malformed)
        #expect(code { try Enrollment(json: json) } == .malformed)
        #expect(code { try Enrollment.State(json: json) } == .malformed)
        #expect(code { try Enrollment.ID(json: json) } == .malformed)
        #expect(code { try DeviceToken(json: json) } == .malformed)
        #expect(code { try Withdrawal(json: json) } == .malformed)
        #expect(code { try Notice(json: json) } == .malformed)
        #expect(code { try Challenge.ID(json: json) } == .malformed)
    }

    @Test func `a notice survives whatever encoder an app keeps it with`() throws {
        let notice = Notice(
            id: .ada("1"), title: "Log in?", priority: .high, issued: morning,
            expiry: Date(timeIntervalSinceReferenceDate: 1.1), proof: .signature)
        let json = try JSONEncoder().encode(notice)
        #expect(try JSONDecoder().decode(Notice.self, from: json) == notice)
        let list = try PropertyListEncoder().encode(notice)
        #expect(try PropertyListDecoder().decode(Notice.self, from: list) == notice)
    }

    @Test func `the texts of a notice that comes back are made safe again`() throws {
        let notice = Notice(id: .ada("1"), title: "TITLE", body: "BODY", proof: .mac)
        let tampered = notice.json.text
            .replacingOccurrences(of: "TITLE", with: "a\u{202E}b")
            .replacingOccurrences(of: "BODY", with: String(repeating: "x", count: 3000))
        let read = try JSONDecoder().decode(Notice.self, from: Data(tampered.utf8))
        #expect(read.title == "ab")
        #expect(read.body?.unicodeScalars.count == 2049)
    }

    @Test func `a notice that lacks a member is refused`() throws {
        let json = Notice(id: .ada("1"), proof: .mac).json
        for name in ["id", "priority", "ignorable", "proof"] {
            var members = try json.members()
            members[name] = nil
            #expect(code { try Notice(json: .object(members)) } == .malformed)
        }
    }

    @Test func `identifiers survive an app's encoder`() throws {
        let id = Challenge.ID.ada("a/b")
        let data = try JSONEncoder().encode(id)
        #expect(try JSONDecoder().decode(Challenge.ID.self, from: data) == id)
    }

    @Test func `a ledger row survives with and without each part`() throws {
        let notice = Notice(id: .ada("1"), proof: .mac)
        let lease = LedgerRow.Lease(owner: "app", since: morning + 0.1)
        let pause = LedgerRow.Pause(since: morning + 0.1, length: .seconds(7))
        let decided = LedgerRow.DecidedAnswer(
            resolution: .approve, kept: .wholeOnceOpen, secret: secret("b"),
            mayHaveArrived: true, lease: lease, pause: pause)
        let row = LedgerRow(
            id: .ada("1"), seen: morning,
            announcement: Announcement(notice, context: secret("c")), decided: decided,
            withdrawal: Withdrawal(.ada("1"), .cancelled), finished: morning + 1)
        let read = try LedgerRow(reading: row.sealed)
        #expect(read.finished == morning + 1)
        #expect(read.state == .decided(.approve) && read.seen == morning)
        #expect(read.decided?.lease == lease && read.decided?.mayHaveArrived == true)
        #expect(read.decided?.pause == pause)
        #expect(read.decided?.bytes?.isEqualInConstantTime(to: secret("b")) == true)
        #expect(read.announcement?.context.isEqualInConstantTime(to: secret("c")) == true)
        let answered = LedgerRow(
            id: .ada("1"), seen: morning, decided: decided, outcome: .delivered)
        #expect(try LedgerRow(reading: answered.sealed).state == .answered(.approve, .delivered))
        let bare = LedgerRow(.ada("1"), seen: morning)
        #expect(try LedgerRow(reading: bare.sealed).state == .open)
    }

    @Test func `a row whose secrets are missing is damaged`() throws {
        let notice = Notice(id: .ada("1"), proof: .mac)
        let fields: JSON.Object = [
            "version": 1, "id": notice.id.json, "seen": JSON(morning), "notice": notice.json,
        ]
        #expect(code { try LedgerRow(reading: Secret.Record(fields: fields).sealed) } == .malformed)
    }

    @Test(arguments: [nil, 0, 2, "1"] as [JSON?])
    func `a row of another form is neither damaged nor none`(version: JSON?) throws {
        var fields: JSON.Object = ["id": Challenge.ID.ada("1").json, "seen": JSON(morning)]
        fields["version"] = version
        #expect(
            code { try LedgerRow(reading: Secret.Record(fields: fields).sealed) }
                == .unsupportedRecord)
    }
}
