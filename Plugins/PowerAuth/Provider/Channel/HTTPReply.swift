import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What came back: `{"status": …, "responseObject": …}`, a bare envelope, or a stranger's words.
///
/// A status alone is nobody's word: gateways, firewalls and portals give theirs, too. The server
/// says what it refused in its own form, with a code that it documents for that status.
struct HTTPReply: Sendable {
    /// As much as the transports take by default: a hundred operations with their texts.
    static let maximumSize = 1 << 20

    /// The HTTP status.
    let status: Int

    /// The whole body; `null` where an error has none that can be read.
    let object: JSON

    /// Reads a reply.
    ///
    /// - Throws: `PushError` with the code `server` if the server, or who stands before it, can't
    ///   answer now; `oversizedReply` as a transport would; `interrupted` if what should be the
    ///   server's word isn't.
    init(status: Int, body: Data) throws(PushError) {
        self.status = status
        guard body.count <= Self.maximumSize else {
            throw PushError(.oversizedReply, "The reply is larger than 1 MiB.")
        }
        do throws(PushError) {
            object = try JSON(parsing: body, limits: JSON.Limits(bytes: Self.maximumSize))
        } catch {
            guard !(200..<300 ~= status) else {
                throw PushError(
                    .interrupted, "The reply can't be read, so nobody knows whether it was done.",
                    underlying: error)
            }
            object = .null
        }
        if status == 429 || status >= 500 { throw self.error }
    }

    /// Reads a reply whose header is at hand: a success has the documented status and media type.
    ///
    /// - Throws: As ``init(status:body:)``; `interrupted` for any other success.
    init(_ response: HTTPResponse, body: Data) throws(PushError) {
        let status = response.status.code
        guard !(200..<300 ~= status) || (status == 200 && response.mayHoldJSON) else {
            throw PushError(
                .interrupted,
                "The reply isn't in the server's form, so nobody knows whether it was done.")
        }
        try self.init(status: status, body: body)
    }

    private var claimsSuccess: Bool { 200..<300 ~= status && object["status"] != "ERROR" }

    /// Whether the server says, in its wrapping, that it did what it was asked.
    var isSuccess: Bool { claimsSuccess && object["status"] == "OK" }

    /// Whether it's a bare envelope, as encrypted calls are answered. Only opening it shows whose it
    /// is.
    var isEnvelope: Bool {
        claimsSuccess && object["encryptedData"]?.string != nil && object["mac"]?.string != nil
    }

    /// What the server says, without its wrapping.
    var responseObject: JSON? {
        switch object["responseObject"] {
        case .null: nil
        case let value: value
        }
    }

    /// Why the server refused; `nil` for whatever it doesn't say in its documented form.
    var refusal: PowerAuthErrorCode? {
        guard object["status"] == "ERROR",
            let code = responseObject?["code"]?.string.flatMap(PowerAuthErrorCode.init(rawValue:)),
            code.status == status
        else { return nil }
        return code
    }

    /// Whether the server says that a signature or a token was refused.
    var isAuthenticationRefusal: Bool { refusal?.isAuthenticationFailure ?? false }

    /// Whether it is the server's own word, yes or no.
    var isServers: Bool { isSuccess || refusal != nil }

    /// What the server says, if it did what it was asked; `null` if it says nothing.
    ///
    /// - Throws: `PushError`, ``error``.
    var value: JSON {
        get throws(PushError) {
            guard isSuccess else { throw error }
            return responseObject ?? .null
        }
    }
}

extension HTTPReply {
    /// The error for a reply that isn't a success, where the caller has no better one. Its
    /// `underlying` is the server's own name for it. A reply that says neither yes nor no is
    /// `interrupted`.
    var error: PushError {
        guard !(200..<300 ~= status) else {
            return PushError(.interrupted, "The reply doesn't say whether it was done.")
        }
        guard let refusal else {
            return PushError(
                .server(status: status),
                "A reply with the status \(status), and not in the form of the server's errors.")
        }
        return error(
            refusal == .remoteCommunicationError ? .interrupted : .server(status: status),
            "The server refused.")
    }

    /// The refusal as an error with a given meaning.
    func error(_ meaning: PushError.Code, _ reason: String) -> PushError {
        PushError(meaning, reason, underlying: refusal)
    }
}
