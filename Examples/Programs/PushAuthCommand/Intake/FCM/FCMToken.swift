import Crypto
import Foundation
import LocalServer
import PushCore

/// A registration token of this program: a project's mark, a colon, and random characters.
enum FCMToken {
    static func make(for project: String, random: any RandomSource) -> String {
        joined(random.bytes(96).withBytes { Data($0) }, for: project)
    }

    /// A token whose characters hold 96 bytes.
    static func joined(_ bytes: Data, for project: String) -> String {
        "\(mark(of: project)):\(bytes.base64URL)"
    }

    /// Whether a token was made for a project; `nil` if it was made elsewhere.
    static func isToken(_ token: String, of project: String) -> Bool? {
        let parts = token.parts(at: ":", most: 3)
        guard parts.count == 2, parts[0].utf8.count == 22, parts[1].utf8.count == 128 else {
            return nil
        }
        return parts[0] == mark(of: project)
    }

    /// Whether a text could be a registration token of anybody. Their form isn't documented; all that
    /// are seen are longer than this, of these characters.
    static func hasShape(_ text: String) -> Bool {
        text.utf8.count >= 100
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: ":"), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The Firebase installation ID that goes with a token.
    ///
    /// - Returns: 22 characters of base64url that begin with four fixed bits, as those that Firebase's
    ///   libraries make.
    static func installation(of token: String) -> String {
        var bytes = Data(SHA256.hash(data: Data("installation \(token)".utf8)).prefix(17))
        bytes[bytes.startIndex] = bytes[bytes.startIndex] & 0x0F | 0x70
        return String(bytes.base64URL.prefix(22))
    }

    /// Whether a text could be an installation ID of anybody.
    static func isInstallation(_ text: String) -> Bool {
        text.utf8.count == 22 && text.wholeMatch(of: /[c-f][A-Za-z0-9_\-]{21}/) != nil
    }

    private static func mark(of project: String) -> String {
        Data(SHA256.hash(data: Data(project.utf8)).prefix(16)).base64URL
    }
}
