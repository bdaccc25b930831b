import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What came back from the extension, as far as it said anything. A reply in no form of its own is a
/// gateway's or a portal's: it says nothing, whatever its status is.
struct ServerReply {
    /// What was said.
    private enum Word {
        /// 200 with an object.
        case success(JSON.Object)
        /// Another status with the documented form of an error.
        case refusal(String)
        /// Nobody's word.
        case stranger
    }

    let status: Int
    private let word: Word

    /// A list of many challenges is the largest reply.
    private static let largest = 256 * 1024

    init(_ response: HTTPResponse, _ body: Data) {
        status = response.status.code
        let limits = JSON.Limits(bytes: Self.largest)
        let json = response.mayHoldJSON ? try? JSON(parsing: body, limits: limits) : nil
        switch (status, json?.object) {
        case (200, let object?): word = .success(object)
        case (400..., let object?): word = object["error"]?.string.map(Word.refusal) ?? .stranger
        default: word = .stranger
        }
    }

    /// The object of a success.
    private var success: JSON.Object? {
        if case .success(let object) = word { object } else { nil }
    }

    /// The entries of a list; `nil` if it is none.
    var entries: [JSON]? { success?["challenges"]?.array }

    /// Whether the realm says that it no longer has the device, or its user.
    var saysGone: Bool { says(.notRegistered, .noUser) }

    /// Whether it is a success with this word as `status`.
    func hasStatus(_ word: String) -> Bool {
        success?["status"]?.string?.hasSameBytes(as: word) == true
    }

    /// Whether it is one of the refusals of an enrollment. Anybody's gateway can write the form.
    var refusesEnrollment: Bool {
        says(
            .noChallenge, .resolvedOrExpired, .enrollmentExpired, .wrongNonce, .notForEnrollment,
            .notOwner, .noUser, .isBeingResolved, .wrongEnrollmentSignature, .invalidAccessToken,
            .proofExpired, .wrongProofSignature)
            || status == 400
                && ["Missing field: ", "Field too long: "].contains { rest(after: $0) != nil }
    }

    /// What follows a refusal's text.
    private func rest(after start: String) -> String? {
        guard case .refusal(let text) = word, text.utf8.starts(with: start.utf8) else { return nil }
        return String(text.utf8.dropFirst(start.utf8.count))
    }

    /// Whether it is one of these refusals, status and text.
    func says(_ refusals: Refusal...) -> Bool {
        guard case .refusal(let text) = word else { return false }
        return refusals.contains { $0.status == status && $0.rawValue.hasSameBytes(as: text) }
    }

    /// The state that a challenge was resolved as meanwhile; `nil` if it isn't that refusal.
    var resolvedState: String? {
        status == 409 ? rest(after: "Challenge already resolved as ") : nil
    }

    /// An error for a reply that nothing else can be made of.
    func unexpected(_ what: StaticString) -> PushError {
        if says(.proofExpired) {
            return PushError(
                .server(status: status),
                "The realm doesn't take the proof's time: this device's clock may be wrong.")
        }
        if says(.wrongProofSignature) {
            return PushError(
                .server(status: status),
                "The realm knows another key for this device: enroll again.")
        }
        return .unexplained(status: status, "The reply \(status) isn't \(what).")
    }
}

/// A refusal of the extension's. Its text is the whole distinction, so both must be right.
enum Refusal: String {
    case invalidAccessToken = "Invalid access token"
    case proofExpired = "DPoP proof expired"
    case wrongProofSignature = "Invalid DPoP proof signature"
    case notRegistered = "Device not registered for user"
    case noUser = "User not found"
    case noRequest = "Enrollment request not found"
    case notForEnrollment = "Challenge is not for enrollment"
    case notOwner = "Challenge does not belong to user"
    case wrongNonce = "Nonce mismatch"
    case enrollmentExpired = "enrollment token expired"
    case wrongEnrollmentSignature = "Invalid enrollment token signature"
    case noChallenge = "Challenge not found"
    case resolvedOrExpired = "Challenge already resolved or expired"
    case isBeingResolved = "Challenge is currently being resolved"
    case answerExpired = "authentication token expired"
    case wrongVerification = "User verification mismatch"
    case noVerification = "Missing user verification"
    case invalidVerification = "Invalid user verification value"
    case wrongAnswerSignature = "Invalid authentication token signature"
    case wrongSubject = "Authentication token subject mismatch"
    case wrongDevice = "Authentication token device mismatch"
    case wrongCredential = "Authentication token credential mismatch"
    case wrongChallenge = "Challenge mismatch"
    case unreadableChallenge = "Invalid UUID field: cid"

    /// The status that it comes with.
    var status: Int {
        switch self {
        case .invalidAccessToken: 401
        case .proofExpired, .notForEnrollment, .enrollmentExpired, .resolvedOrExpired,
            .answerExpired, .noVerification, .invalidVerification, .unreadableChallenge:
            400
        case .wrongProofSignature, .notRegistered, .notOwner, .wrongNonce, .wrongVerification,
            .wrongEnrollmentSignature,
            .wrongAnswerSignature, .wrongSubject, .wrongDevice, .wrongCredential, .wrongChallenge:
            403
        case .noUser, .noRequest, .noChallenge: 404
        case .isBeingResolved: 409
        }
    }
}
