package import Crypto
package import HTTPTypes
package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension PowerAuthSimulator {
    /// The value of a device's counter that a request was signed with.
    package struct UsedCounter: Hashable, Sendable {
        /// The activation whose counter it is.
        package let activation: String
        /// Which value, counted from the first, which is 0.
        package let number: Int
        /// The nonce of the request: copies of one request share it.
        package let nonce: String
    }

    /// Finds the value that a request was signed with, whether or not the server took it.
    ///
    /// The device's own part of a signature tells, so a wrong PIN doesn't matter. For tests, as a
    /// real server never looks back.
    ///
    /// - Parameters:
    ///   - request: A request, as it came.
    ///   - body: Its body.
    ///   - limit: How many values are tried, from the first on.
    /// - Returns: `nil` if there is no signature, or none of an activation's first values.
    package func usedCounter(
        by request: HTTPRequest, body: Data, within limit: Int = 400
    ) -> UsedCounter? {
        let path = request.path ?? ""
        guard let header = SignatureHeader(request.headerFields[.powerAuthSignature]),
            header.version != .v30, let device = activations[header.activation]?.device,
            let application = application(header.applicationKey),
            let signature = Data(base64: header.signature)
        else { return nil }
        let content =
            signedContent(of: request, body)
            ?? SignedContent(method: "POST", uriID: Self.uriID(ofPath: path), body: body)
        let bytes = Signature.Input(
            method: content.method, uriID: content.uriID, nonce: header.nonce,
            body: content.body, secret: application.secret
        ).bytes
        var value = device.firstCounter
        for number in 0..<limit {
            let part = Signature.components([device.keys.possession], counter: value, over: bytes)
            if part.first?.suffix(16) == signature.prefix(16) {
                return UsedCounter(
                    activation: header.activation, number: number, nonce: header.nonce)
            }
            value = KeySchedule.next(value)
        }
        return nil
    }

    /// What signatures name an endpoint by: its path without the version, or without the tree.
    private static func uriID(ofPath path: String) -> String {
        if path.hasPrefix("/pa/v3/") { return "/pa/" + path.dropFirst(7) }
        let tree = "/api/auth/token/app"
        return path.hasPrefix(tree) ? String(path.dropFirst(tree.count)) : path
    }

    /// The server's own key for an activation.
    ///
    /// - Throws: `PushError` with the code `notFound`.
    package func serverKey(
        of id: ActivationRecord.ID
    ) throws(PushError) -> P256.KeyAgreement.PublicKey {
        guard let activation = activations[id] else {
            throw PushError(.notFound, "There is no such activation.")
        }
        return activation.serverKey.publicKey
    }

    /// The point that a device sent, 65 bytes; `nil` without a device.
    package func deviceKey(of id: ActivationRecord.ID) -> Data? {
        activations[id]?.device?.publicKey.x963Representation
    }

    /// The key that a device shares with the server for its own part of signatures; empty without
    /// a device.
    package func possessionKey(of id: ActivationRecord.ID) -> [UInt8] {
        activations[id]?.keys.map { Array($0.possession) } ?? []
    }
}
