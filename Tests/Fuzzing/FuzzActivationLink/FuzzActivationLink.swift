import Foundation
import PushAuthFuzzing
import PushCore
import PushXignIn
import PushXignInReference

/// Feeds the reader of XignIn's activation links: what it takes leads over TLS to the host that others
/// read in it, too; what it refuses it explains. And, as few mutations are base64url of JSON, feeds
/// the same bytes as what a link holds.
@main
enum FuzzActivationLink {
    private static let start = "oxrw://personalize?d="
    private static let names = ["d", "v", "mgr", "idm", "act", "mk"]

    static func main() {
        fuzz { bytes in
            check(String(decoding: bytes, as: UTF8.self))
            let held = Data(bytes).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
            check(start + held)
        }
    }

    private static func check(_ text: String) {
        let format = OpenReferenceWireFormat()
        do throws(PushError) {
            let link = Secret(Array(text.utf8))
            guard let found = try format.invitation(in: link, allowsPlainHTTP: false) else {
                expect(
                    text.prefix(7).lowercased() != "oxrw://", "a link of ours is read or refused")
                return
            }
            check(found, text)
            expect(
                (try? format.invitation(in: link, allowsPlainHTTP: true)) == found,
                "the switch for tests takes what is taken without it")
        } catch {
            expect(error.code == .invalidInvitation, "the error is of the invitation")
            expect(
                error.reason == "Not a link that personalizes."
                    || names.contains { error.reason.contains("parameter \"\($0)\"") },
                "the reason names what is wrong")
        }
    }

    private static func check(_ found: XignInInvitation, _ text: String) {
        let held = text.dropFirst(start.count).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - held.count % 4) % 4)
        guard let data = Data(base64Encoded: held + padding),
            let members = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let text = members["mgr"] as? String, let manager = URLComponents(string: text)
        else { return expect(false, "others read the link, too") }
        expect(members["idm"] as? String == found.idmIdentifier, "others read the same manager")
        expect((1...128).contains(found.idmIdentifier.utf8.count), "the manager has a name")
        expect(manager.scheme == "https", "it goes over TLS")
        let brackets = CharacterSet(charactersIn: "[]")
        expect(
            manager.host?.trimmingCharacters(in: brackets) == found.host,
            "others read the same host")
        expect(manager.user == nil && manager.password == nil, "it names no user")
        expect(
            manager.path.isEmpty && manager.query == nil && manager.fragment == nil,
            "nothing stands behind the host")
        expect((members["act"] as? String)?.count == 43, "there is a secret of 32 bytes")
        expect((members["mk"] as? String)?.count == 87, "there is a key")
    }
}
