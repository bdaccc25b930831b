public import PushCore

/// How a device is activated where a code alone isn't enough, or where there is none: give it to
/// ``PowerAuthActivator/activate(_:)``.
///
/// For a code without any of this, `PushAuthenticator.offers(for:)` and `enroll(_:)` do.
public struct PowerAuthActivation: Sendable {
    /// What the bank's own server makes of the activation, beside it: any JSON. It isn't kept there by
    /// PowerAuth, and comes back in the reply, perhaps changed.
    public var customAttributes: JSON.Object?

    /// A text that the server keeps with the activation.
    public var extras: String?

    /// The activation's name, of 1 to 128 bytes without control characters; the device's own if `nil`.
    public var name: String?

    let identity: Identity

    enum Identity: Sendable {
        case code(Invitation)
        case direct(method: String, [String: Secret])
        case custom([String: Secret])
        case login([String: Secret])
    }

    /// Activates by a code that the user scans or types.
    public init(_ invitation: Invitation) { identity = .code(invitation) }

    /// Activates by what the bank's own server knows the user by: the type `DIRECT`.
    ///
    /// - Parameters:
    ///   - method: How the server is to judge the attributes: a name that its owner chose.
    ///   - attributes: Texts in UTF-8, such as a user name and a password. The enrollment server reads
    ///     them, and nobody on the way does.
    public init(method: String, attributes: [String: Secret]) {
        identity = .direct(method: method, attributes)
    }

    /// Activates by what the bank's own server knows the user by: the type `CUSTOM`, which the vendor's
    /// SDK up to 1.9 sends, and which the vendor calls deprecated.
    ///
    /// - Parameter identityAttributes: Texts in UTF-8, one at least.
    public init(identityAttributes: [String: Secret]) {
        identity = .custom(identityAttributes)
    }

    /// Activates by a login at an identity provider.
    init(login: [String: Secret]) { identity = .login(login) }
}

/// An activation as the enrollment server is to read it, on its way from an offer to the exchange.
struct ActivationOrder: Sendable {
    /// What asks for it, and what is true once it was sent.
    enum Kind: String, Sendable {
        case code = "CODE"
        case direct = "DIRECT"
        case custom = "CUSTOM"

        /// What the server refuses with one code for all.
        var refusal: String {
            switch self {
            case .code:
                "The server doesn't take the activation code: it is unknown, used or too old, or the "
                    + "OTP is wrong."
            case .direct, .custom:
                "The server doesn't take what should prove the user: it is wrong, used or too old."
            }
        }

        /// What there is to do once it is spent.
        var remedy: String {
            switch self {
            case .code: "ask for a new activation code."
            case .direct, .custom: "start again from the beginning."
            }
        }
    }

    let kind: Kind
    let identity: JSON.Object
    var customAttributes: JSON.Object?
    var extras: String?
    var name: String?

    static let nameSizes = 1...128

    /// An activation by code, with nothing beside.
    init(_ code: ActivationCode) {
        kind = .code
        identity = ["code": .string(code.text)]
    }

    /// An activation as the app wants it.
    ///
    /// - Parameters:
    ///   - activation: What the app wants.
    ///   - code: The code, if it is by one.
    /// - Throws: `PushError` with the code `invalidArgument` if an attribute, a method or a name
    ///   can't be used.
    init(_ activation: PowerAuthActivation, code: ActivationCode?) throws(PushError) {
        switch (activation.identity, code) {
        case (.code, let code?):
            kind = .code
            identity = ["code": .string(code.text)]
        case (.direct(let method, let attributes), _):
            guard !method.isEmpty, attributes["method"] == nil else {
                throw PushError(.invalidArgument, "A method is needed, and stands by itself.")
            }
            kind = .direct
            var members = try Self.members(attributes)
            members["method"] = .string(method)
            identity = members
        case (.login(let attributes), _):
            kind = .direct
            identity = try Self.members(attributes)
        case (.custom(let attributes), _) where !attributes.isEmpty:
            kind = .custom
            identity = try Self.members(attributes)
        default: throw PushError(.invalidArgument, "There is nothing to activate by.")
        }
        customAttributes = activation.customAttributes
        extras = activation.extras
        name = try activation.name.map { (name) throws(PushError) in try Self.checked(name: name) }
    }

    /// A name that can be shown as it is.
    ///
    /// - Throws: `PushError` with the code `invalidArgument`.
    static func checked(name: String) throws(PushError) -> String {
        guard nameSizes ~= name.utf8.count, DisplayText.sanitized(name, .title) == name else {
            throw PushError(
                .invalidArgument, "A name has 1 to 128 bytes, and no control characters.")
        }
        return name
    }

    private static func members(
        _ attributes: [String: Secret]
    ) throws(PushError) -> JSON.Object {
        var members = JSON.Object()
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            guard let text = value.withBytes({ String(validUTF8: $0) }) else {
                throw PushError(.invalidArgument, "An attribute isn't text in UTF-8.")
            }
            members[name] = .string(text)
        }
        return members
    }
}

extension ActivationOrder {
    /// What an offer carries. It's nothing that could be scanned or typed, so nobody but the app makes
    /// one.
    var invitation: Invitation {
        var members: JSON.Object = ["type": .string(kind.rawValue), "identity": .object(identity)]
        members["custom"] = customAttributes.map { .object($0) }
        members["extras"] = extras.map { .string($0) }
        members["name"] = name.map { .string($0) }
        return .credentials(user: Self.mark, password: Secret(JSON.object(members).utf8))
    }

    private static let mark = "PowerAuth"

    /// Reads what an offer carries.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` for anything else.
    init(user: String, _ password: Secret) throws(PushError) {
        let members = try? password.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes, limits: JSON.Limits(bytes: bytes.count))
        }
        guard user == Self.mark, let members, let identity = members["identity"]?.object,
            let kind = members["type"]?.string.flatMap(Kind.init(rawValue:))
        else { throw PushError(.invalidInvitation, "This provider didn't make the offer.") }
        self.kind = kind
        self.identity = identity
        customAttributes = members["custom"]?.object
        extras = members["extras"]?.string
        name = members["name"]?.string
    }
}
