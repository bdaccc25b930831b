import Foundation
import PushAuthFuzzing
import PushCore
import PushPlusAuth

/// Feeds the reader of PlusAuth's enrollment codes: what it takes is whole and leads over TLS to the
/// host that others read in it, too; what it refuses it explains.
@main
enum FuzzPushEnrollmentURI {
    static func main() {
        fuzz { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(PushError) {
                guard let uri = try PushEnrollmentURI(text) else { return }
                check(uri)
                let local = try? PushEnrollmentURI(text, allowsLocalHosts: true)
                expect(
                    local?.enrollmentURL.text == uri.enrollmentURL.text,
                    "the switch for tests takes what is taken without it")
            } catch {
                expect(error.code == .invalidInvitation, "the error is of the invitation")
                expect(
                    error.reason.contains("parameter \"") || error.reason.contains("too long"),
                    "the reason names what is wrong")
            }
        }
    }

    private static func check(_ uri: PushEnrollmentURI) {
        expect(!uri.account.isEmpty && !uri.account.hasPrefix(" "), "there is an account")
        expect(uri.issuer?.isEmpty != true, "an issuer isn't empty")
        expect(!uri.hasConflictingIssuer || uri.issuer != nil, "two issuers are one at least")
        expect(uri.secret.count > 0, "there is a secret")
        expect(["SHA1", "SHA256", "SHA512"].contains(uri.algorithm), "the algorithm is known")
        expect(!uri.isAlgorithmAssumed || uri.algorithm == "SHA1", "SHA-1 alone is assumed")
        expect((6...8).contains(uri.digits), "the digits are in bounds")
        expect((15...300).contains(uri.period), "the period is in bounds")
        expect(uri.contextToken.count > 0, "there is a token")
        expect(
            uri.contextToken.withBytes { $0.allSatisfy { 0x21...0x7E ~= $0 } },
            "the token fits a header")
        let url = uri.enrollmentURL
        expect(url.isSecure, "it goes over TLS")
        let other = URLComponents(string: url.text)
        expect(other?.scheme?.lowercased() == "https", "others read the same scheme")
        expect(other?.host?.lowercased() == url.host, "others read the same host")
        expect(other?.user == nil && other?.fragment == nil, "there is no user and no fragment")
        let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
        expect(!isLocal, "it isn't this machine")
        expect(!isAddress(url.host), "it isn't an IP address")
    }

    /// Told by the system, in each notation that it reads, such as 127.1 or 0x7F000001.
    private static func isAddress(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        let plain = host.filter { $0 != "[" && $0 != "]" }
        return inet_aton(plain, &four) != 0 || inet_pton(AF_INET6, plain, &six) == 1
    }
}
