import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What came back, as far as the server said it. A reply in no form of its own is a gateway's or a
/// portal's: it says nothing of the token, whatever its status is.
///
/// The `signature` and the `nonce` at its top level aren't a challenge's, and aren't read.
struct ServerReply {
    /// What the server said.
    enum Word {
        /// It did what it was asked.
        case value(JSON, detail: JSON.Object?)
        /// It didn't, and says so with a number.
        case error(Int64)
        /// Nobody's word.
        case stranger
    }

    let status: Int
    let word: Word

    /// A list of many challenges is the largest reply.
    private static let largest = 512 * 1024

    /// Reads a reply.
    ///
    /// - Throws: `PushError` with the code `interrupted` for a 2xx that is nobody's word.
    init(_ response: HTTPResponse, _ body: Data) throws(PushError) {
        status = response.status.code
        word = Self.word(in: body, isSuccess: status == 200 && response.mayHoldJSON)
        if case .stranger = word, 200..<300 ~= status { throw unexpected("the server's") }
    }

    private static func word(in body: Data, isSuccess: Bool) -> Word {
        let limits = JSON.Limits(bytes: largest)
        guard let json = try? JSON(parsing: body, limits: limits),
            let result = json["result"]?.object, let hasWorked = result["status"]?.bool
        else { return .stranger }
        if hasWorked, isSuccess, let value = result["value"] {
            return .value(value, detail: json["detail"]?.object)
        }
        guard !hasWorked, !isSuccess, let code = result["error"]?["code"]?.integer else {
            return .stranger
        }
        return .error(code)
    }

    /// The number of the server's refusal, with the status that it comes with.
    var refusal: Refusal? {
        guard case .error(let code) = word else { return nil }
        return Refusal(status: status, code: code)
    }

    /// An error for a reply that nothing else can be made of.
    func unexpected(_ what: StaticString) -> PushError {
        .unexplained(status: status, "The reply \(status) isn't \(what).")
    }
}

/// A refusal in the server's own form. The texts beside the numbers aren't stable, and a policy hides
/// them; then the number is -311.
struct Refusal: Hashable, Error {
    let status: Int
    let code: Int64

    private static let hidden: Int64 = -311

    /// A time or a signature wasn't taken. The server says the same of a token that it doesn't know.
    var isOfSignature: Bool { status == 400 && (code == 10 || code == Self.hidden) }

    /// There is no such token.
    var isOfToken: Bool { status == 404 && (code == 601 || code == Self.hidden) }

    /// A policy forbids it.
    var isOfPolicy: Bool { status == 403 && code == 303 }

    /// The code that enrolls is wrong, or of a token that is locked.
    var isOfInvitation: Bool { status == 400 && [905, 1007, Self.hidden].contains(code) }
}
