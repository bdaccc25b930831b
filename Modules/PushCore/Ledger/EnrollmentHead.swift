#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the core keeps of an enrollment beside its challenges, as JSON text.
struct EnrollmentHead: Hashable, Sendable {
    /// The public half. It says nothing of a move.
    var enrollment: Enrollment

    /// The device token that the app gave this enrollment for its own; unspecified if it follows
    /// the device's.
    var ownToken = DesiredDeviceToken.unspecified

    /// What of its provider's only this enrollment may have.
    var claims: [String] = []

    /// When the enrollment was moved away; `nil` if it is in use here.
    var departed: Date?

    init(_ enrollment: Enrollment) {
        self.enrollment = enrollment
    }

    init(reading sealed: Secret) throws(PushError) {
        let fields = try sealed.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes, limits: .init(bytes: bytes.count)).members()
        }
        self.init(
            try fields.required("enrollment", Enrollment.init(json:)))
        if fields["ownToken"] == .null {
            ownToken = .token(nil)
        } else if let json = fields["ownToken"] {
            ownToken = .token(try DeviceToken(json: json))
        }
        claims =
            try fields.optional("claims") { json in
                let texts = json.array?.compactMap(\.string)
                return texts?.count == json.array?.count ? texts : nil
            } ?? []
        departed = try fields.optional("departed") { $0.date }
    }

    /// The public half, for the app's eyes.
    var shown: Enrollment {
        var enrollment = enrollment
        if departed != nil { enrollment.state = .movedAway }
        return enrollment
    }

    var sealed: Secret {
        var fields: JSON.Object = ["enrollment": enrollment.json]
        if case .token(let token) = ownToken { fields["ownToken"] = token?.json ?? .null }
        if !claims.isEmpty { fields["claims"] = .array(claims.map(JSON.string)) }
        fields["departed"] = departed.map { JSON($0) }
        return Secret(JSON.object(fields).utf8)
    }
}

/// The heads that were read last: what changes from one reading of a document to the next is mostly
/// something else. They hold no secret.
struct KnownHeads: Sendable {
    private let known = Locked(Cache<Enrollment.ID, (sealed: Secret, head: EnrollmentHead)>())

    /// Reads a head, unless it has the very bytes of the one that was read before.
    func head(_ sealed: Secret, of id: Enrollment.ID) throws(PushError) -> EnrollmentHead {
        if let known = known.withLock({ $0[id] }), known.sealed.isEqualInConstantTime(to: sealed) {
            return known.head
        }
        let head = try EnrollmentHead(reading: sealed)
        known.withLock { $0[id] = (sealed, head) }
        return head
    }
}
