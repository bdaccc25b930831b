import Crypto
import PushCore
import PushJOSE
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// How OXRW/1 writes what a process is about.

extension ServiceInformation {
    init(_ answer: Claims) throws(PushError) {
        let service = try answer.object("service")
        self.init(id: try service.identifier("id"), name: try service.text("name"))
    }
}

extension OrganizationInformation {
    init(_ answer: Claims) throws(PushError) {
        let organization = try answer.object("organization")
        self.init(
            name: try organization.optionalText("name"),
            website: try organization.optionalText("website_url"),
            address: try organization.optionalText("address"),
            description: try organization.optionalText("description"))
    }
}

// An entry of a list that can't be read is left out and noted. Then the user sees the rest, and can
// say no.
extension AuthenticateRequest {
    /// More than anybody could choose from.
    private static let maximumCount = 32

    mutating func readRoles(_ values: [JSON]) {
        if values.count > Self.maximumCount { note("The manager offers too many roles.") }
        for value in values.prefix(Self.maximumCount) {
            guard let role = readRole(Claims(value.object ?? [:])),
                !roles.contains(where: { $0.id == role.id })
            else {
                note("A role can't be read, or is there twice.")
                continue
            }
            roles.append(role)
        }
    }

    private mutating func readRole(_ role: Claims) -> Role? {
        guard let id = try? role.identifier("id"), let name = try? role.text("name"),
            let lists = try? role.array("requested_authenticators")
        else { return nil }
        if lists.count > Self.maximumCount { note("A role has too many sets of factors.") }
        var alternatives: [[AuthenticatorType]] = []
        for list in lists.prefix(Self.maximumCount) {
            let names = list.array?.compactMap(\.string)
            guard let names, names.count == list.array?.count else {
                note("A role's factors can't be read.")
                continue
            }
            alternatives.append(names.map(AuthenticatorType.init(name:)))
        }
        return Role(id: id, name: name, requestedAuthenticators: alternatives)
    }

    mutating func readAttributes(_ values: JSON.Object) {
        if values.count > Self.maximumCount {
            note("The service asks for too many attributes.")
        }
        info = AuthenticationPersonalInformation(
            values.members.prefix(Self.maximumCount).map { name, value in
                readAttribute(name, Claims(value.object ?? [:]))
            })
    }

    private mutating func readAttribute(
        _ name: String, _ attribute: Claims
    ) -> AuthenticationInformation {
        // The answer names what it releases, so each name must be one.
        if !Identifier.isValid(name) { note("The name of an attribute can't be one.") }
        let requirement = try? attribute.text("requirement")
        if requirement != "required", requirement != "optional" {
            note("An attribute is neither required nor optional.")
        }
        var value: String?
        do throws(PushError) {
            value = try attribute.optionalText("value")
        } catch {
            note("The value of an attribute can't be read.")
        }
        return AuthenticationInformation(
            name: name, isRequired: requirement != "optional", value: value)
    }

    /// Notes what can't be read; the first counts.
    private mutating func note(_ obstacle: String) {
        approvalObstacle = approvalObstacle ?? obstacle
    }
}

extension ActivationRecord {
    /// The factors that this activation can supply.
    var authenticators: Set<AuthenticatorType> {
        var types: Set<AuthenticatorType> = [.device]
        if pin != nil { types.insert(.pin) }
        if biometry != nil { types.insert(.biometric) }
        return types
    }
}

/// The text that the user signs with an answer.
enum TransactionText {
    static func hash(of text: String) -> String {
        Base64.encode(Data(SHA256.hash(data: Data(text.utf8))), as: .url)
    }

    /// The text of a started process; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `untrusted` if its hash is another text's.
    static func checked(_ answer: Claims) throws(PushError) -> String? {
        guard let transaction = try answer.optionalObject("transaction") else { return nil }
        let text = try transaction.text("text")
        guard try transaction.text("sha256") == hash(of: text) else {
            throw PushError(.untrusted, "The hash of the transaction is another text's.")
        }
        return text
    }
}
