import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an account is found by without reading all others: its origin and its name there.
///
/// Each enrollment of it claims a place. There is more than one while the account is enrolled again,
/// as the old one stays until PlusAuth has taken the new one, and where replies were lost.
struct AccountClaim {
    /// How many enrollments one account may have at the most.
    static let places = 0..<8

    private let origin: String
    private let account: String

    init(of account: String, at origin: String) {
        self.account = account
        self.origin = origin
    }

    /// What an enrollment claims. It's a hash, as the store's names needn't tell whose account it is.
    subscript(place: Int) -> String {
        let parts: JSON = [
            .string(origin), .string(account), .integer(place),
        ]
        return Hex.text(SHA256.hash(data: parts.data))
    }

    /// The enrollments that the account has.
    func holders(in accounts: Accounts) async throws(PushError) -> [Enrollment] {
        var holders: [Enrollment] = []
        for place in Self.places {
            if let holder = try await accounts.holder(of: self[place]) { holders.append(holder) }
        }
        return holders
    }

    /// Stores a new enrollment of the account.
    ///
    /// - Throws: `PushError` with the code `alreadyEnrolled` if all places are taken.
    func create(
        _ enrollment: Enrollment, _ credential: PlusAuthCredential, in accounts: Accounts
    ) async throws(PushError) -> Account {
        for place in Self.places {
            do throws(PushError) {
                return try await accounts.create(enrollment, credential, claiming: self[place])
            } catch  where error.code == .alreadyEnrolled {
                continue
            }
        }
        throw PushError(
            .alreadyEnrolled,
            "The account has \(Self.places.count) enrollments here, finished or not: remove some.")
    }
}

extension AccountClaim {
    /// What a push says of its account before anything of it is proved: `info.user_identifier`, at the
    /// origin of `resolve_url`. It leads to keys to verify with, and to nothing else.
    ///
    /// - Returns: `nil` if the push doesn't say.
    init?(unverified payload: Data) {
        guard let claims = try? JSON(parsing: payload),
            let account = claims["info"]?["user_identifier"]?.string, !account.isEmpty,
            let url = claims["resolve_url"]?.string, let endpoint = try? Endpoint(url)
        else { return nil }
        self.init(of: account, at: endpoint.shortOrigin)
    }
}
