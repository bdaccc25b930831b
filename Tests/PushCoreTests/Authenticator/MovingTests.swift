import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What leaves a device, and what comes to another one.
struct MovingTests {
    private let one = AuthenticatorHarness()
    private let other = AuthenticatorHarness()

    private func count(_ authenticator: PushAuthenticator) async throws -> String {
        try await authenticator.code(for: .ada).text.copiedText()
    }

    private func results(_ export: EnrollmentExport) -> [String] {
        export.entries.map { "\($0.enrollment.id.name) \(Self.word($0.result))" }
    }

    private static func word(_ result: EnrollmentExport.Result) -> String {
        switch result {
        case .copied: "copied"
        case .moved: "moved"
        case .notExportable(let why): "notExportable: \(why)"
        case .failed(let error): "failed: \(error.code)"
        }
    }

    private func word(_ imported: [ImportedEnrollment]) -> [String] {
        imported.map {
            switch $0.result {
            case .taken: "taken"
            case .known: "known"
            case .left(let error): "left: \(error.code)"
            }
        }
    }

    // MARK: Leaving

    @Test func `what moved away answers nothing, shows no code, and lives on there`()
        async throws
    {
        let old = try one.movable()
        let enrollment = try await old.join("ada")
        #expect(try await count(old) == "1")
        let open = try await old.open(try AcmeWire.ask("1"))
        let updates = await old.updates()
        let export = try await old.export()
        #expect(results(export) == ["ada moved"])
        #expect(try await old.enrollment(.ada)?.state == .movedAway)
        #expect(await code { try await old.code(for: .ada) } == .movedAway)
        #expect(await code { try await old.receive(AcmeWire.ask("2")) } == .movedAway)
        #expect(await code { try await old.resolve(open, with: .approve) } == .movedAway)
        #expect(await code { try await old.challenge(.ada("1")) } == .over)
        #expect(await code { try await old.refresh(.ada) } == .movedAway)
        #expect(await one.server.answers.isEmpty)
        #expect(await updates.first { _ in true } != nil)

        let new = try other.movable()
        #expect(word(try await new.importEnrollments(from: export.content)) == ["taken"])
        let arrived = try #require(try await new.enrollment(.ada))
        #expect(arrived.state == .active && arrived.created == enrollment.created)
        #expect(arrived.issuer == "Acme" && arrived.host == "acme.example")
        #expect(try await count(new) == "2")
        let challenge = try await new.open(try AcmeWire.ask("3"))
        #expect(try await new.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `what was denied before a move can't be approved after it, nor after the next`()
        async throws
    {
        let old = try one.movable()
        _ = try await old.join("ada")
        let denied = try await old.open(try AcmeWire.ask("1"))
        #expect(try await old.deny(denied.id, .fraud) == .delivered)
        var app = old
        for device in [other, AuthenticatorHarness()] {
            let content = try await app.export().content
            app = try device.movable()
            #expect(word(try await app.importEnrollments(from: content)) == ["taken"])
            #expect(try await app.receive(try AcmeWire.ask("1")).allSatisfy { !$0.isNew })
            #expect(await code { try await app.challenge(.ada("1")) } == .over)
            #expect(try await app.unfinishedRecords().isEmpty)
            #expect(await device.server.answers.isEmpty)
        }
        // And back on the first, which knew it all along.
        let content = try await app.export().content
        let back = try one.movable()
        #expect(word(try await back.importEnrollments(from: content)) == ["taken"])
        #expect(await code { try await back.resolve(denied, with: .approve) } != nil)
        #expect(await one.server.answers.count == 1)
        // What wasn't answered there still can be.
        let next = try await back.open(try AcmeWire.ask("2"))
        #expect(try await back.resolve(next, with: .approve) == .delivered)
    }

    @Test func `a copy leaves both devices able; what is not exportable says why`() async throws {
        let old = try one.movable { acme in
            acme.leaves = { $0 == "ada" ? .copies($1) : .notExportable("Its key was made here.") }
        }
        _ = try await old.join("ada")
        _ = try await old.join("bob")
        let export = try await old.export()
        #expect(results(export) == ["ada copied", "bob notExportable: Its key was made here."])
        #expect(try await count(old) == "1")
        let new = try other.movable()
        #expect(word(try await new.importEnrollments(from: export.content)) == ["taken"])
        #expect(try await count(new) == "1")
        #expect(try await new.enrollment(.bob) == nil)
    }

    @Test func `a plugin that says nothing of it lets nothing leave`() async throws {
        let old = try await one.enrolled()
        let export = try await old.export()
        guard case .notExportable? = export.entries.first?.result else {
            Issue.record("It left.")
            return
        }
        #expect(try await old.enrollment(.ada)?.state == .active)
        #expect(try await other.movable().importEnrollments(from: export.content).isEmpty)
    }

    @Test func `half an enrollment, and one that the vendor dropped, stay`() async throws {
        let old = try one.movable(.init(state: .needsReenrollment))
        _ = try await old.join("ada")
        let half = try other.movable(.init(state: .pending(.unconfirmed)))
        _ = try await half.join("ada")
        for authenticator in [old, half] {
            let entry = try #require(try await authenticator.export().entries.first)
            guard case .notExportable = entry.result else {
                Issue.record("\(entry.result)")
                continue
            }
        }
    }

    @Test func `a preview changes nothing, and says the same`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        let entries = try await old.exportPreview()
        #expect(entries.map { Self.word($0.result) } == ["moved"])
        #expect(try await count(old) == "1")
    }

    @Test func `while an answer is on its way nothing leaves`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        let challenge = try await old.open(try AcmeWire.ask("1"))
        await one.faults.next(.refuse)
        guard case .unknown = try await old.resolve(challenge, with: .approve) else {
            Issue.record("It got through.")
            return
        }
        #expect(
            try await old.exportPreview().map { Self.word($0.result) } == ["failed: interrupted"])
        let export = try await old.export()
        #expect(results(export) == ["ada failed: interrupted"])
        #expect(try await other.movable().importEnrollments(from: export.content).isEmpty)
        #expect(try await old.enrollment(.ada)?.state == .active)
        #expect(try await old.resume() == [.ada("1"): .delivered])
        #expect(results(try await old.export()) == ["ada moved"])
    }

    @Test func `a damaged record hinders no other, and is named`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        try await one.damage("enrollment")
        _ = try await old.join("bob")
        let names = results(try await old.export())
        #expect(names == ["ada failed: malformed", "bob moved"])
    }

    @Test func `its vendor is told of no removal, once it lives elsewhere`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        _ = try await old.export()
        let before = await one.transport.exchanges.count
        try await old.remove(.ada)
        #expect(try await old.enrollments().isEmpty)
        #expect(await one.transport.exchanges.count == before)
    }

    // MARK: Arriving

    @Test func `what an import would take is told before, with its hosts, and nothing changes`()
        async throws
    {
        let old = try one.movable()
        _ = try await old.join("ada")
        let content = try await old.export().content
        let new = try other.movable()
        let told = try await new.importPreview(of: content)
        #expect(told.map(\.id) == [.ada])
        #expect(told.map(\.host) == ["acme.example"])
        #expect(try await new.enrollments().isEmpty)
        #expect(try await new.importEnrollments(from: content).map(\.enrollment.id) == [.ada])
        #expect(await code { try await new.importPreview(of: Secret([1, 2])) } == .malformed)
    }

    @Test func `an import changes nothing the second time`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        let content = try await old.export().content
        let new = try other.movable()
        _ = try await new.importEnrollments(from: content)
        #expect(try await count(new) == "1")
        #expect(word(try await new.importEnrollments(from: content)) == ["known"])
        #expect(try await count(new) == "2")
    }

    @Test func `only an import brings it back, with the newest counter`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        #expect(try await count(old) == "1")
        let there = try await old.export().content
        let new = try other.movable()
        _ = try await new.importEnrollments(from: there)
        for expected in ["2", "3", "4"] { #expect(try await count(new) == expected) }
        let back = try await new.export().content
        #expect(await code { try await count(new) } == .movedAway)
        #expect(word(try await old.importEnrollments(from: back)) == ["taken"])
        #expect(try await old.enrollment(.ada)?.state == .active)
        #expect(try await count(old) == "5")
        // The first file is older than what this device knows since.
        _ = try await old.export()
        #expect(word(try await old.importEnrollments(from: there)) == ["taken"])
        #expect(try await count(old) == "6")
    }

    @Test func `an enrollment of another account under its name is left alone`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        let content = try await old.export().content
        let new = try other.movable()
        try await other.environment.accounts(for: "acme").create(
            Enrollment(id: .ada, state: .active, created: morning),
            Secret.Record(fields: [:], secrets: [secret("else")]))
        #expect(word(try await new.importEnrollments(from: content)) == ["left: conflict"])
        let kept: Secret.Record = try await other.environment.accounts(for: "acme")
            .existing(.ada).credential()
        #expect(kept.secrets.map { $0.copiedText() } == ["else"])
    }

    @Test func `an account that is enrolled otherwise is left alone`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        let content = try await old.export().content
        let new = try other.movable { $0.claims = true }
        try await other.environment.accounts(for: "acme").create(
            Enrollment(id: .bob, state: .active, created: morning), secret("x"),
            claiming: "ada")
        #expect(word(try await new.importEnrollments(from: content)) == ["left: alreadyEnrolled"])
        #expect(try await new.enrollment(.ada) == nil)
    }

    @Test func `without its plugin an enrollment is left, and the others are taken`() async throws {
        let both = PushAuthenticator(
            try PluginRegistry([
                MovingAcme(inner: one.acme()), MovingAcme(inner: one.acme("acme/b")),
            ]), in: one.environment, configuration: AuthenticatorHarness.quiet)
        for offer in try both.offers(for: .scanned(text: "acme:ada")) {
            _ = try await both.enroll(offer)
        }
        let content = try await both.export().content
        let imported = try await other.movable().importEnrollments(from: content)
        #expect(word(imported) == ["taken", "left: notFound"])
    }

    @Test func `the vendor is told this device's token, not the other one's`() async throws {
        let old = try one.movable()
        try await old.deviceTokenChanged(.fcm("old"))
        _ = try await old.join("ada")
        let content = try await old.export().content
        let new = try other.movable()
        try await new.deviceTokenChanged(.fcm("new"))
        _ = try await new.importEnrollments(from: content)
        #expect(try await new.enrollment(.ada)?.deviceToken == nil)
        try await new.resume()
        #expect(try await new.enrollment(.ada)?.deviceToken == .fcm("new"))
        #expect(try await old.deviceTokenState(of: .ada) == .current)
        try await old.resume()
        #expect(await one.transport.exchanges.filter { $0.request.path == "/token" }.isEmpty)
    }

    @Test func `what a vendor's importer made is told to subscribers`() async throws {
        let authenticator = try one.movable()
        let made = Enrollment(id: .ada, state: .active, created: morning)
        try await one.environment.accounts(for: "acme").create(made, secret("k#0"))
        let updates = await authenticator.updates()
        try await authenticator.enrollmentsImported([.ada, .bob])
        #expect(await updates.first { _ in true } == .enrollment(made))
    }
}
