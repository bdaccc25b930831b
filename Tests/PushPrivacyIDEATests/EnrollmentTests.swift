import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// How tokens begin, are replaced and end: `docs/vendors/privacyidea.md#enrollment`.
@Suite struct EnrollmentTests {
    typealias Reply = ScriptedReply

    private func expectNothingLeft(in harness: ScriptedHarness) async throws {
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.store.count == 0)
    }

    @Test func `a token's name has its serial and its server's origin`() async throws {
        let harness = try await ScriptedHarness()
        let first = try await harness.enroll()
        let second = try await harness.enroll(
            EnrollmentCode(["url": "https%3A//pi.example.com%3A8443/ttype/push"]))
        #expect(first.id.name == "PIPU0001ABCD@https://pi.example.com")
        #expect(second.id.name == "PIPU0001ABCD@https://pi.example.com:8443")
        #expect(first.state == .active && second.port == 8443)
        #expect(first.issuer == "privacyIDEA" && first.account == "ada")
        #expect(try await harness.authenticator.enrollments().count == 2)
    }

    @Test func `the reply of the examples is read`() async throws {
        let harness = try await ScriptedHarness()
        let body = try #require(harness.vectors["enrollmentReply"])
        await harness.server.reply(to: .enroll, Reply(body: body.text))
        try await harness.enroll()
        let stored = try await harness.accounts.existing(harness.id).credential(
            as: PrivacyIDEACredential.self)
        #expect(try stored.serverKey == harness.vectors.serverKey().pkcs1)
        #expect(stored.serial == "PIPU0001ABCD")
    }

    // MARK: A full store

    @Test func `a store that takes nothing is found before the code is spent`() async throws {
        let harness = try await ScriptedHarness()
        await harness.store.refuseWrites { _ in PushError(.storage, "Full.") }
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .storage)
        #expect(await harness.sent(.enroll).isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await harness.enroll().state == .active)
        #expect(try await harness.store.names(in: "room").isEmpty)
    }

    @Test func `a store that is full by the reply leads to what the server has now`() async throws {
        let harness = try await ScriptedHarness()
        let store = harness.store
        await harness.server.whileWorking {
            await store.refuseWrites { _ in PushError(.storage, "Full.") }
        }
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .storage)
        #expect(error.reason.hasPrefix("Full. The server has enrolled this device"))
        #expect(error.reason.contains("have its token deleted there"))
        // What it left is in nobody's way.
        await store.refuseWrites(nil)
        await harness.server.whileWorking {}
        #expect(try await harness.enroll().state == .active)
        #expect(try await store.names(in: "room").isEmpty)
    }

    // MARK: Refusals

    @Test(arguments: [(404, 601), (404, -311), (400, 905), (400, 1007), (400, -311)])
    func `a code that the server doesn't take is said so, and leaves nothing`(
        status: Int, code: Int64
    ) async throws {
        let harness = try await ScriptedHarness()
        await harness.server.reply(to: .enroll, .error(status, code))
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == (status == 404 ? .invitationSpent : .invalidInvitation))
        #expect(error.reason.contains("ask for a new code"))
        #expect(await harness.sent(.enroll).count == 1)
        try await expectNothingLeft(in: harness)
    }

    @Test(arguments: [200, 301, 400, 401, 403, 404, 405, 429, 500, 502])
    func `a gateway's page is nobody's word on a code`(status: Int) async throws {
        let harness = try await ScriptedHarness()
        // A success that is nobody's word is as good as no reply, after which it's asked once more.
        await harness.server.reply(to: .enroll, .page(status), .page(status))
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == (status == 200 ? .interrupted : .server(status: status)))
        try await expectNothingLeft(in: harness)
    }

    @Test(
        arguments: [
            ["serial": "PIPU0002"], ["serial": 7], ["public_key": nil], ["public_key": "AAAA"],
            ["public_key": "spki"], ["public_key": "pem"],
        ] as [JSON])
    func `a reply without the token's own key is refused`(change: JSON) async throws {
        let harness = try await ScriptedHarness()
        let lines = try harness.vectors.text("keys", "server", "pkcs1")
        var detail: JSON.Object = ["public_key": .string(lines), "serial": "PIPU0001ABCD"]
        for member in change.object?.members ?? [] {
            detail[member.name] = member.value == .null ? nil : member.value
        }
        if detail["public_key"] == "spki" {
            detail["public_key"] = .string(try harness.vectors.text("keys", "server", "spki"))
        } else if detail["public_key"] == "pem" {
            detail["public_key"] = .string("-----BEGIN RSA PUBLIC KEY-----\n\(lines)\n")
        }
        await harness.server.reply(to: .enroll, .value(true, detail: .object(detail)))
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .malformed)
        try await expectNothingLeft(in: harness)
    }

    @Test func `value false enrolls nothing`() async throws {
        let harness = try await ScriptedHarness()
        await harness.server.reply(to: .enroll, .value(false, detail: [:]), .value(true))
        for _ in 0..<2 {
            let error = try await refusal { try await harness.enroll() }
            #expect(error.code == .interrupted)
        }
        try await expectNothingLeft(in: harness)
    }

    // MARK: Lost replies

    @Test func `a request that was lost is sent once more, the same bytes`() async throws {
        let harness = try await ScriptedHarness()
        await harness.faults.next(.dropBefore)
        #expect(try await harness.enroll().state == .active)
        #expect(await harness.sent(.enroll).count == 1)
    }

    @Test func `a reply that was lost can't be recovered, and that is said`() async throws {
        let harness = try await ScriptedHarness()
        await harness.faults.next(.dropAfter)
        await harness.server.reply(
            to: .enroll, .value(true, detail: ["public_key": "AAAA"]), .error(404, 601))
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .invitationSpent)
        #expect(error.reason.contains("lost") && error.reason.contains("ask for a new code"))
        let sent = await harness.sent(.enroll)
        #expect(sent.count == 2 && sent.first == sent.last)
        try await expectNothingLeft(in: harness)
    }

    @Test(arguments: [FaultPlan.Fault.dropAfter, .dropBefore, .refuse])
    func `after two lost replies nothing is on record as usable`(
        second: FaultPlan.Fault
    ) async throws {
        let harness = try await ScriptedHarness()
        await harness.faults.next(.dropAfter)
        await harness.faults.next(second)
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .interrupted)
        try await expectNothingLeft(in: harness)
    }

    // MARK: The same token again

    @Test func `a code that was used on this device isn't sent again`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .alreadyEnrolled)
        #expect(await harness.sent(.enroll).count == 1)
    }

    @Test func `another code for a token replaces its keys after the server's word alone`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let rollover = EnrollmentCode(["enrollment_credential": String(repeating: "a", count: 40)])
        // The core enrolls in its turn.
        let offers = try harness.authenticator.offers(for: .scanned(text: rollover.text))
        #expect(offers.map(\.enrollment) == [harness.id])
        await harness.server.reply(to: .enroll, .error(404, 601))
        _ = try await refusal { try await harness.enroll(rollover) }
        // The old key polls as before.
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(
            await harness.sent(.poll).last == (try harness.vectors.request("poll")["query"]?.string)
        )
        let key = try harness.vectors.text("keys", "otherServer", "pkcs1")
        await harness.server.setKey(key, of: "pi.example.com")
        let again = try await ScriptedHarness.enrolled()
        #expect(again.id == harness.id)
        #expect(try await harness.enroll(rollover).id == harness.id)
        #expect(try await harness.authenticator.enrollments().count == 1)
        // Old pushes no longer verify, new ones do.
        let signed = SignedChallenge()
        let old = try signed.message(by: harness.vectors.key("server"))
        #expect(
            try await refusal { _ = try await harness.authenticator.receive(old) }.code
                == .untrusted)
        let new = try signed.message(by: harness.vectors.key("otherServer"))
        #expect(try await harness.authenticator.receive(new).first?.challenge?.name == signed.nonce)
    }

    // MARK: Afterwards

    @Test(arguments: [(true, 0), (false, 1)])
    func `removing a token takes its device token away, if it has one`(
        pollOnly: Bool, told: Int
    ) async throws {
        let harness = try await ScriptedHarness()
        _ = try await harness.authenticator.deviceTokenChanged(Sample.token)
        let flag = pollOnly ? "True" : "False"
        try await harness.enroll(EnrollmentCode(["poll_only": flag]))
        try await harness.authenticator.remove(harness.id)
        let sent = await harness.sent(.token).compactMap { FormText($0)?["new_fb_token"] }
        #expect(sent == Array(repeating: "no_firebase_token", count: told))
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test func `a server that can't be reached keeps no token from being removed`() async throws {
        let harness = try await ScriptedHarness()
        _ = try await harness.authenticator.deviceTokenChanged(Sample.token)
        try await harness.enroll()
        await harness.faults.next(.refuse)
        try await harness.authenticator.remove(harness.id)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test func `a poll-only token is told no device token, now or later`() async throws {
        let harness = try await ScriptedHarness()
        _ = try await harness.authenticator.deviceTokenChanged(Sample.token)
        let enrollment = try await harness.enroll(EnrollmentCode(["poll_only": "True"]))
        #expect(enrollment.deviceToken == nil)
        #expect(try await harness.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        #expect(try await harness.authenticator.deviceTokenState(of: harness.id) == .current)
        #expect(await harness.sent(.enroll).allSatisfy { $0.contains("fbtoken=no_firebase_token") })
        #expect(await harness.sent(.token).isEmpty)
    }

    @Test func `Apple's tokens are told only where the app says that the server takes them`()
        async throws
    {
        let token = DeviceToken.apns(hex: "0a0b", isSandbox: false)
        for takes in [false, true] {
            let harness = try await ScriptedHarness { $0.usesAPNsTokens = takes }
            _ = try await harness.authenticator.deviceTokenChanged(token)
            try await harness.enroll()
            let form = try await harness.lastForm(.enroll)
            #expect(form["fbtoken"] == (takes ? "0a0b" : "no_firebase_token"))
        }
    }

    @Test(arguments: [(400, 10), (400, 905), (500, -500)])
    func `a device token that the server refuses stays untold`(
        status: Int, code: Int64
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .token, .error(status, code))
        let failures = try await harness.authenticator.deviceTokenChanged(Sample.token)
        #expect(failures[harness.id]?.code == .server(status: status))
        #expect(try await harness.authenticator.enrollment(harness.id)?.deviceToken == nil)
    }

    @Test func `a device token is signed again by the server's time, once`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.tellTime(ahead: .seconds(310))
        await harness.server.reply(to: .token, .error(400, 10))
        #expect(try await harness.authenticator.deviceTokenChanged(Sample.token).isEmpty)
        let times = await harness.sent(.token).compactMap { FormText($0)?["timestamp"] }
        #expect(times == ["2026-11-22T12:00:00.000000Z", "2026-11-22T12:05:10.500000Z"])
    }

    // MARK: Secrecy

    @Test func `no description, no error and no observation shows a key or a code`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let account = try await harness.accounts.existing(harness.id)
        let credential = try account.credential(as: PrivacyIDEACredential.self)
        let kept = try #require(try Secret.Record(reading: credential.sealed).secrets.first)
        let offer = try #require(
            try harness.authenticator.offers(for: .scanned(text: EnrollmentCode().text)).first)
        await harness.server.reply(to: .enroll, .error(404, 601))
        let other = "978e752a04f33207fd12a550b5a0277fce801a76"
        let code = EnrollmentCode(["enrollment_credential": other])
        let error = try await refusal { try await harness.enroll(code) }
        var shown = "\(credential) \(offer) \(error) \(harness.observer.observations)"
        dump(account.enrollment, to: &shown)
        dump(credential, to: &shown)
        dump(offer, to: &shown)
        #expect(!shown.contains("978e752a04f332"))
        let key = kept.withBytes { Data($0).base64EncodedString() }
        #expect(!shown.contains(key.dropFirst(40).prefix(40)))
    }
}
