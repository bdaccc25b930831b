import Foundation
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushJOSE
import PushTesting

/// Users who move in from the vendor's SDK, and who move to another device.
extension ForgeRockLab {
    var moving: [DemoFlow] {
        [
            DemoFlow(
                "the vendor SDK's records imported, then a push",
                expecting: "1 imported, nothing sent; taken, logged in", run: importRecords),
            DemoFlow(
                "one scan, a push and codes",
                expecting: "taken, logged in; code accepted, again refused", run: scanOnce),
            DemoFlow(
                "exported under a password, imported on another device",
                expecting:
                    "moved; old device: movedAway, movedAway; taken, logged in; code accepted",
                run: moveOut),
        ]
    }

    private func importRecords() async throws -> String {
        let text = try await am81.simulator.enrollmentURI(for: "iris")
        let old = try await am81.visited(by: device("the vendor's SDK", token: "0C"))
        let id = try await enroll(text, at: old).id
        guard let uri = try EnrollmentURI(text) else { return "no code" }
        let record = VendorRecord.json(Self.stored(uri, id), from: .iOS)
        let new = try await am81.visited(by: device("moved in", token: "0C"))
        let before = await am81.host.requestCount
        let provider = ForgeRock(
            configuration: .init(allowsLocalHosts: true), in: new.device.environment)
        let report = await provider.importEnrollments(
            from: [record], deviceToken: Self.token("0C"))
        try await new.authenticator.enrollmentsImported(report.taken.map(\.id))
        let sent = await am81.host.requestCount == before ? "nothing sent" : "something sent"
        let answered = try await new.answer("iris", .confirm) { _, _ in .approve }
        return "\(report.taken.count) imported, \(sent); \(answered)"
    }

    private func scanOnce() async throws -> String {
        let station = try await am81.visited(by: device("one scan", token: "0D"))
        let text = try await am81.simulator.enrollmentURI(
            for: "kim", options: .init(.pushAndTOTP))
        let id = try await enroll(text, at: station).id
        let answered = try await station.answer("kim", .confirm) { _, _ in .approve }
        let code = try await station.authenticator.code(for: id).text.copiedText()
        let first = try await am81.simulator.logIn("kim", with: code)
        let again = try await am81.simulator.logIn("kim", with: code)
        return "\(answered); code \(first), again \(again)"
    }

    private func moveOut() async throws -> String {
        let old = try await am81.visited(by: device("old", token: "0E"))
        let text = try await am81.simulator.enrollmentURI(
            for: "lee", options: .init(.pushAndHOTP))
        let id = try await enroll(text, at: old).id
        _ = try await old.authenticator.code(for: id)
        let export = try await old.authenticator.export([id])
        let password = Secret(copying: "correct horse battery")
        let file = try await PasswordSeal.seal(
            export.content, under: password, random: SystemRandom())

        let new = try await am81.visited(by: device("new", token: "0F"))
        let imported = try await new.authenticator.importEnrollments(
            from: try await PasswordSeal.open(file, with: password))
        guard case .taken? = imported.first?.result else { return "not taken" }
        try await new.authenticator.resume()
        let login = try await am81.simulator.startLogin(of: "lee", asking: .confirm)
        guard let push = await am81.simulator.takePushes().first else { return "no push" }
        let message = try push.message()
        let left = await [
            Result { () async throws(PushError) in
                try await old.authenticator.receive(message)
            }.refusal,
            Result { () async throws(PushError) in
                try await old.authenticator.code(for: id)
            }.refusal,
        ]
        guard let challenge = try await new.authenticator.receive(message).first?.challenge else {
            return "nothing asked"
        }
        let answered = try await new.answer(
            new.authenticator.challenge(challenge), .approve, login)
        let code = try await new.authenticator.code(for: id).text.copiedText()
        let verdict = try await am81.simulator.logIn("lee", with: code)
        let word = if case .moved? = export.entries.first?.result { "moved" } else { "not moved" }
        return "\(word); old device: \(left.joined(separator: ", ")); \(answered); code \(verdict)"
    }

    // MARK: Steps

    private static func token(_ byte: String) -> DeviceToken {
        .apns(hex: String(repeating: byte, count: 32), isSandbox: true)
    }

    private func device(_ name: String, token byte: String) async throws -> LabDevice {
        let device = try await site.device(name) {
            [ForgeRock(configuration: .init(allowsLocalHosts: true), in: $0)]
        }
        try await device.authenticator.deviceTokenChanged(Self.token(byte))
        return device
    }

    private func enroll(
        _ text: String, at station: Station<ForgeRockSimulator>
    ) async throws -> Enrollment {
        try await station.authenticator.enroll(.scanned(text: text)) { _ in true }
    }

    /// What the vendor's SDK would have kept of a code that it enrolled.
    private static func stored(_ uri: EnrollmentURI, _ id: Enrollment.ID) -> Data {
        let secret = uri.sharedSecret.withBytes { Data($0) }.base64EncodedString()
        let members: JSON = [
            "id": "x-push", "mechanismUID": .string(id.name), "type": "pushauth",
            "issuer": .string(uri.issuer), "accountName": .string(uri.account),
            "secret": .string(secret),
            "authenticationEndpoint": .string(uri.authenticationEndpoint.text),
            "registrationEndpoint": .string(uri.registrationEndpoint.text),
            "loadBalancer": .null, "uid": "iris", "timeAdded": 1_760_000_000_500,
        ]
        return members.data
    }
}
