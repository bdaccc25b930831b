import Foundation
import PushCore
import PushTesting
import Testing

extension Scenario {
    static let enrolling: [Scenario] = [
        Scenario("a scanned code") { stage in
            try await stage.set(.gateway(.firebase))
            let code = try await stage.server.code(for: stage.user, serial: nil)
            try await stage.note("the code", shape(of: code.text))
            let phone = try await stage.device(token: "token-\(stage.user)")
            let offers = try phone.authenticator.offers(for: .scanned(text: code.text))
            let offer = try #require(offers.first)
            try await stage.note("the offer's issuer", offer.issuer ?? "-", "privacyIDEA")
            try await stage.note("the account is the serial", "\(offer.account == code.serial)")
            let enrollment = try #require(try await phone.enroll(code.text))
            try await stage.knows(enrollment.serial, "token-\(stage.user)")
            try await phone.poll(enrollment, is: "")
            try await phone.enroll(code.text, is: "alreadyEnrolled")
            try await stage.device("another").enroll(code.text, is: "invitationSpent")
        },
        Scenario("a poll-only code") { stage in
            let code = try await stage.server.code(for: stage.user, serial: nil)
            try await stage.note("the code", shape(of: code.text))
            let phone = try await stage.device(token: "token-\(stage.user)")
            let enrollment = try #require(try await phone.enroll(code.text))
            try await stage.knows(enrollment.serial, "no_firebase_token")
            try await phone.authenticator.deviceTokenChanged(.fcm("another-\(stage.user)"))
            try await stage.knows(enrollment.serial, "no_firebase_token")
            let (login, id) = try await stage.login(on: phone, enrollment)
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("a code that asks for an unlocked app") { stage in
            try await stage.set(.piaScheme, .appUnlock("biometric"))
            let code = try await stage.server.code(for: stage.user, serial: nil)
            try await stage.note("the code", shape(of: code.text))
            let phone = try await stage.device()
            let enrollment = try #require(try await phone.enroll(code.text))
            let (login, id) = try await stage.login(on: phone, enrollment)
            let reasons = stage.server.release == .v314 ? "cancelled, unknown_trigger, " : ""
            let challenge = try await phone.open(
                id, is: "approve, \(reasons)[PushCore.Factor.biometry]")
            try await phone.resolve(challenge, .approve, is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("a code with another credential") { stage in
            let code = try await stage.server.code(for: stage.user, serial: nil)
            let wrong = code.text.replacing(/enrollment_credential=[0-9a-f]+/) { _ in
                "enrollment_credential=" + String(repeating: "0", count: 40)
            }
            let phone = try await stage.device()
            try await phone.enroll(wrong, is: "invalidInvitation")
            try await phone.enroll(code.text)
        },
        Scenario("a code of a token that was deleted") { stage in
            let code = try await stage.server.code(for: stage.user, serial: nil)
            try await stage.server.deleteToken(code.serial)
            try await stage.device().enroll(code.text, is: "invitationSpent")
        },
    ]

    /// The parts of a code, and the values of those that are always the same.
    private static func shape(of code: String) -> String {
        let url = URLComponents(string: code)
        let items = (url?.queryItems ?? []).sorted { $0.name < $1.name }.map { item in
            ["url", "enrollment_credential", "serial"].contains(item.name)
                ? item.name : "\(item.name)=\(item.value ?? "")"
        }
        return "\(url?.scheme ?? ""):\(url?.host ?? "") \(items.joined(separator: " "))"
    }
}
