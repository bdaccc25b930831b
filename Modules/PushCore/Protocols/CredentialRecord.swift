#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A credential as its record has it: of an enrollment in use, or of one that was moved away.
///
/// The record of one that was moved away has an empty secret in the place of the provider's half,
/// and that half behind it. An older version, which reads only that place, finds no secret.
struct CredentialRecord: Sendable {
    /// Both halves. The public one says nothing of the move.
    var credential: Credential

    /// When the enrollment was moved away; `nil` if it is in use here.
    var departed: Date?

    /// By whose mark it is leaving, as long as nobody has got it yet.
    var leaving: String?

    init(_ credential: Credential) {
        self.credential = credential
    }

    /// Reads a record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it is damaged.
    init(reading value: Secret, of provider: ProviderID) throws(PushError) {
        let record = try SecretRecord(reading: value)
        departed = try record.fields.optional("departed") { $0.date }
        leaving = departed == nil ? nil : try record.fields.optional("leaving") { $0.string }
        guard record.secrets.count == (departed == nil ? 1 : 2), let secret = record.secrets.last
        else { throw Self.damaged(provider) }
        credential = Credential(try Enrollment(json: .object(record.fields)), secret: secret)
        credential.claims =
            try record.fields.optional("claims") { json in
                json.array?.compactMap(\.string)
            } ?? []
    }

    /// The public half, for the app's eyes.
    var enrollment: Enrollment {
        var enrollment = credential.enrollment
        if departed != nil { enrollment.state = .movedAway }
        return enrollment
    }

    /// The credential.
    ///
    /// - Throws: ``PushError`` with the code `movedAway` if the enrollment isn't in use here.
    var inUse: Credential {
        get throws(PushError) {
            guard departed == nil else {
                throw PushError(
                    .movedAway, "The enrollment was moved to another device.",
                    provider: credential.enrollment.id.provider)
            }
            return credential
        }
    }

    var sealed: Secret {
        var fields = credential.enrollment.members
        if !credential.claims.isEmpty {
            fields["claims"] = .array(credential.claims.map(JSON.string))
        }
        guard let departed else {
            return SecretRecord(fields: fields, secrets: [credential.secret]).sealed
        }
        fields["departed"] = JSON(departed)
        if let leaving { fields["leaving"] = .string(leaving) }
        return SecretRecord(fields: fields, secrets: [Secret([]), credential.secret]).sealed
    }

    private static func damaged(_ provider: ProviderID) -> PushError {
        PushError(.malformed, "A credential is damaged.", provider: provider)
    }
}
