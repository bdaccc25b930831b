import PushCore
import PushForgeRockSimulator
import PushTesting

/// Joins an account by the code that the server's login page shows as a QR code.
func enroll(_ phone: PushAuthenticator, at server: ForgeRockSimulator) async throws {
    // Before the first enrollment: the server pushes to this token.
    try await phone.deviceTokenChanged(.fcm("token-from-firebase"))
    let enrollment = try await phone.enroll(server.invitation(for: "jane")) { offer in
        // Nothing was sent yet: an app shows this, and asks the user.
        print("Join \(offer.issuer ?? "?") as \(offer.account ?? "?")?")
        return true
    }
    print("The account is \(enrollment.state).")
}
