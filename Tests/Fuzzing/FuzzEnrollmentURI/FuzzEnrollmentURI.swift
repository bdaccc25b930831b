import PushAuthFuzzing
import PushCore
import PushForgeRock

/// Feeds the reader of ForgeRock's enrollment codes: what it takes is whole, and what it refuses it
/// explains.
@main
enum FuzzEnrollmentURI {
    static func main() {
        fuzz { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(PushError) {
                guard let uri = try EnrollmentURI(text) else { return }
                expect(!uri.messageID.isEmpty, "there is a message identifier")
                expect(!uri.registrationEndpoint.host.isEmpty, "there is a host to register at")
                expect(!uri.authenticationEndpoint.host.isEmpty, "there is a host to answer")
                expect(uri.sharedSecret.count > 0, "there is a secret")
                expect(uri.challenge.count > 0, "there is a challenge")
                expect(
                    uri.cookie?.utf8.allSatisfy { 0x20...0x7E ~= $0 } != false,
                    "the cookie fits a header")
                expect(
                    uri.policies.isEmpty || !uri.hasUnreadablePolicies,
                    "policies are read or not")
            } catch {
                expect(error.code == .invalidInvitation, "the error is of the invitation")
                expect(
                    error.reason.contains("parameter \"") || error.reason.contains("type")
                        || error.reason.hasPrefix("The parameters of the one-time codes: ")
                        || error.reason.contains("too long"),
                    "the reason names what is wrong")
            }
        }
    }
}
