import Crypto
import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore

@testable import PushAuthCommand

/// Feeds a whole request to Apple's provider API, its path, headers and payload, over a connection
/// with a certificate and one without: what is taken is for this device, by who may send, and
/// within Apple's limits; a refusal is a word of Apple's list, and no other text.
@main
enum FuzzAPNsHeaders {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)
    private static let token = String(repeating: "0a", count: 32)
    private static let topic = "com.example.bank"

    static func main() throws {
        let key = ProviderKey(
            keyID: "ABCDE12345", teamID: "TEAM012345", topic: topic,
            key: try P256.Signing.PrivateKey(rawRepresentation: Data(repeating: 7, count: 32)))
        let endpoint = APNsEndpoint(key: key, token: token, random: SystemRandom())
        fuzz { bytes in
            guard let request = APNsRequest(bytes) else { return }
            var open = ProviderConnection()
            check(
                endpoint.reply(to: request.head, request.body, over: &open, at: now), request,
                by: key)
            var certified = ProviderConnection()
            certified.certificate = .trusted(topic: topic)
            let reply = endpoint.reply(to: request.head, request.body, over: &certified, at: now)
            check(reply, request, by: nil)
        }
    }

    private static func check(_ reply: IntakeReply, _ request: APNsRequest, by key: ProviderKey?) {
        let sent = request.head.headerFields[.apnsID]
        let id = reply.headers[.apnsID].flatMap { UUID(uuidString: $0) }
        expect(id != nil, "a reply has an identifier")
        // Foundation reads what is no UUID in its canonical form, too.
        let own = sent.flatMap { UUID(uuidString: $0) }
        let isCanonical = own?.uuidString == sent?.uppercased()
        expect(own == nil || !isCanonical || own == id, "it is the request's")
        if let key, reply.isAuthorized {
            expect(request.isSigned(by: key), "only what the key's owner signed is authorized")
        }
        guard reply.status == .ok, let push = reply.push else {
            expect(reply.push == nil, "what is refused isn't taken")
            let reason = reply.body?["reason"]?.string.flatMap(APNsReason.init)
            expect(reason?.status == reply.status, "a refusal is a word of Apple's list")
            let isOver = reason == .unregistered
            expect(reply.body?.object?.members.count == (isOver ? 2 : 1), "it says no more")
            return
        }
        expect(reply.isAuthorized, "only who may send is heard")
        expect(request.head.method == .post, "a push is posted")
        let path = request.head.path?.prefix { $0 != "?" }.removingPercentEncoding?.lowercased()
        expect(path == "/3/device/\(token)", "it is for this device")
        expect(request.body.count <= 4096, "it is no larger than Apple takes")
        expect(
            (try? JSONSerialization.jsonObject(with: request.body)) is [String: Any],
            "others read an object in it")
        expect(push.collapse.map { (1...64).contains($0.utf8.count) } ?? true, "its name is short")
        let seconds = push.expiry?.timeIntervalSince1970
        expect(
            seconds.map { $0 == request.head.headerFields[.expiration].flatMap(Double.init) }
                ?? true,
            "it is wanted as long as it says")
        let isBackground = request.head.headerFields[.pushType] == "background"
        expect(!isBackground || !push.isUrgent, "what is in the background isn't urgent")
    }
}

/// A request: method and path, lines of headers, an empty line, the payload.
private struct APNsRequest {
    var head: HTTPRequest
    let body: Data

    init?(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        var lines: [String] = []
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            lines.append(line)
        }
        let first = lines.first?.split(separator: " ", maxSplits: 1) ?? []
        guard first.count == 2, let method = HTTPRequest.Method(rawValue: String(first[0])) else {
            return nil
        }
        head = HTTPRequest(
            method: method, scheme: "https", authority: "localhost", path: String(first[1]))
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { return nil }
            head.headerFields.append(HTTPField(name: name, value: String(parts[1])))
        }
        body = Data(rest)
    }

    /// Whether its token is what the key signed, told without the reader.
    func isSigned(by key: ProviderKey) -> Bool {
        guard let field = head.headerFields[.authorization] else { return false }
        let parts = field.split(separator: " ").last?.split(separator: ".") ?? []
        guard parts.count == 3, let bytes = Self.data(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes)
        else { return false }
        return key.key.publicKey.isValidSignature(
            signature, for: Data("\(parts[0]).\(parts[1])".utf8))
    }

    private static func data(_ url: Substring) -> Data? {
        let text = url.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}

extension HTTPField.Name {
    fileprivate static let expiration = HTTPField.Name("apns-expiration") ?? .accept
    fileprivate static let pushType = HTTPField.Name("apns-push-type") ?? .accept
}
