import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An operation that waits for the user's answer, or that has had it, under the documented names.
///
/// It is what `Challenge.details(as:)` gives for an operation that was fetched. The server sent it
/// over TLS to this activation, but its texts come from the party that created it. Show them as
/// plain text, and interpret nothing in them.
public struct PowerAuthOperation: Hashable, Sendable, Identifiable {
    /// The identifier, opaque; the case of its letters counts.
    public let id: String

    /// The kind of operation, such as `authorize_payment`.
    public let name: String

    /// What is approved: the text that a signature binds, in the form of
    /// ``PowerAuthOperationData``. It goes back unchanged.
    public let data: String

    /// The state.
    public let status: Status

    /// The server's own word on why it is in this state, at most 32 characters; not for users.
    public let statusReason: String?

    /// When it was made, by the server's clock.
    public let operationCreated: Date

    /// The moment after which the server takes no answer, by the server's clock.
    public let operationExpires: Date

    /// What an approval is signed with.
    public let allowedSignatureType: AllowedSignatureType

    /// What is shown.
    public let formData: FormData

    /// How it is shown, and what stands before and after the approval.
    public let ui: UI

    /// Reads an operation.
    ///
    /// - Throws: `PushError` with the code `malformed` if something required is missing, or if the
    ///   type of signature isn't one that this version knows.
    init(_ json: JSON) throws(PushError) {
        let members = try MemberReader(json)
        id = try members.text("id")
        guard !id.isEmpty else { throw PushError(.malformed, "An operation has no identifier.") }
        name = try members.text("name")
        data = try members.text("data")
        status = Status(try members.optionalText("status") ?? Status.pending.text)
        statusReason = members["statusReason"]?.string
        operationCreated = try Self.date(try members.text("operationCreated"))
        operationExpires = try Self.date(try members.text("operationExpires"))
        allowedSignatureType = try AllowedSignatureType(members["allowedSignatureType"])
        formData = try FormData(members["formData"])
        ui = try UI(members["ui"])
    }

    private static func date(_ text: String) throws(PushError) -> Date {
        guard let date = ServerDate.date(text) else {
            throw PushError(.malformed, "A date of an operation can't be read.")
        }
        return date
    }
}

extension PowerAuthOperation {
    /// The state of an operation.
    @nonexhaustive
    public enum Status: Hashable, Sendable {
        /// `PENDING`: it waits for an answer. Also where the server doesn't say.
        case pending
        /// `APPROVED`: the user said yes.
        case approved
        /// `REJECTED`: the user said no.
        case rejected
        /// `CANCELED`: it was taken back.
        case canceled
        /// `EXPIRED`: its time ran out.
        case expired
        /// `FAILED`: approving failed too often.
        case failed
        /// A state that this version doesn't know, as it came. It can't be answered.
        case unknown(String)

        private static let documented: [Self] = [
            .pending, .approved, .rejected, .canceled, .expired, .failed,
        ]

        init(_ text: String) {
            self =
                Self.documented.first { $0.text.utf8.elementsEqual(text.utf8) } ?? .unknown(text)
        }

        /// The state as the server writes it.
        public var text: String {
            switch self {
            case .pending: "PENDING"
            case .approved: "APPROVED"
            case .rejected: "REJECTED"
            case .canceled: "CANCELED"
            case .expired: "EXPIRED"
            case .failed: "FAILED"
            case .unknown(let text): text
            }
        }
    }
}

extension PowerAuthOperation {
    /// What an approval is signed with.
    public struct AllowedSignatureType: Hashable, Sendable {
        /// How strong the signature must be.
        @nonexhaustive
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The possession of the device is enough.
            case oneFactor = "1FA"
            /// The possession, and the PIN or biometry.
            case twoFactor = "2FA"
            /// A signature by the device's own private key. This version can't make it.
            case ecdsa = "ECDSA"
        }

        /// How strong the signature must be: the member `type`.
        public let type: Kind

        /// Which signatures are taken, such as `possession_knowledge` and `possession_biometry`;
        /// empty for ``Kind/oneFactor``.
        public let variants: [String]

        /// A type that isn't known can't be signed, nor told apart from one that needs less.
        init(_ json: JSON?) throws(PushError) {
            let members = try MemberReader(json)
            guard let type = Kind(rawValue: try members.text("type")) else {
                throw PushError(.malformed, "An operation asks for an unknown type of signature.")
            }
            self.type = type
            guard let variants = members["variants"] else {
                self.variants = []
                return
            }
            guard let array = variants.array else { throw MemberReader.wrong("variants") }
            self.variants = array.compactMap(\.string)
        }
    }
}

extension PowerAuthOperation.AllowedSignatureType {
    /// Which factors the user brings: alternatives, best first; `nil` if this device has none of
    /// them.
    ///
    /// - Parameter hasBiometry: Whether a biometry key was made for this activation.
    /// - Returns: The alternatives, or `nil`.
    func verification(hasBiometry: Bool) -> [[Factor]]? {
        switch type {
        case .oneFactor:
            return variants.isEmpty || variants.contains("possession") ? [] : nil
        case .twoFactor:
            var alternatives: [[Factor]] = []
            if hasBiometry, variants.contains("possession_biometry") {
                alternatives.append([.biometry])
            }
            if variants.contains("possession_knowledge") { alternatives.append([.pin]) }
            return alternatives.isEmpty ? nil : alternatives
        case .ecdsa: return nil
        }
    }
}

extension PowerAuthOperation {
    /// What is shown of an operation: untrusted texts, in the language the server was asked for.
    public struct FormData: Hashable, Sendable {
        /// What it is called.
        public let title: String

        /// What it asks.
        public let message: String

        /// What it is about, in order, each as far as it can be read.
        public let attributes: [PowerAuthAttribute]

        /// What to tell the user afterwards, if the server says it.
        public let resultTexts: ResultTexts?

        init(_ json: JSON?) throws(PushError) {
            let members = try MemberReader(json)
            title = try members.text("title")
            message = try members.text("message")
            // What stands there in place of a list can't be read either.
            attributes =
                members["attributes"].map { json in
                    (json.array ?? [.null]).map(PowerAuthAttribute.init)
                } ?? []
            resultTexts = members["resultTexts"]?.object.map(ResultTexts.init)
        }
    }

    /// What to tell the user afterwards; untrusted texts.
    public struct ResultTexts: Hashable, Sendable {
        /// After an approval that succeeded.
        public let success: String?

        /// After an approval that failed.
        public let failure: String?

        /// After a rejection.
        public let reject: String?

        init(_ members: JSON.Object) {
            success = members["success"]?.string
            failure = members["failure"]?.string
            reject = members["reject"]?.string
        }
    }
}
