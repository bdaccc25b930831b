import Foundation
import HTTPTypes
import PushCore
import PushEtcd
import PushPlatform

/// How this machine reaches etcd.
struct EtcdAccess {
    private let place: EtcdPlace
    private let settings: Configuration.Store
    private let password: Secret?

    /// - Throws: `PushError`, whose cause is a `Failure` that says what is wrong.
    init(
        _ place: EtcdPlace, _ settings: Configuration.Store, _ places: Places
    ) throws(PushError) {
        self.place = place
        self.settings = settings
        do throws(Failure) {
            try settings.checkFiles()
            password = try StorePassword.read(settings, in: places.environment)
        } catch {
            throw PushError(.storage, error.text, underlying: error)
        }
    }

    func store(
        onSettled: (@Sendable (SettledWrite) -> Void)? = nil
    ) throws(PushError) -> EtcdStore {
        var configuration = EtcdStore.Configuration(
            members: place.members, tenant: place.tenant, login: try login)
        configuration.onSettled = onSettled
        return try EtcdStore(configuration, transport: try transport())
    }

    private var login: EtcdStore.Login? {
        get throws(PushError) {
            guard let user = place.user ?? settings.user else { return nil }
            guard let password else {
                throw PushError(
                    .storage, "There is no password for etcd's user '\(user)'.",
                    underlying: Advice(StorePassword.advice))
            }
            return EtcdStore.Login(user: user, password: password)
        }
    }

    private func transport() throws(PushError) -> any Transport {
        #if os(Linux)
        let certificate = settings.certificate.flatMap { certificate in
            settings.key.map {
                CurlTransport.ClientCertificate.files(certificate: certificate, key: $0)
            }
        }
        return CurlTransport(
            .etcd(
                certificateAuthorities: settings.authorities.map { .file($0) } ?? .system,
                clientCertificate: certificate, plainHTTP: .loopbackOnly))
        #else
        throw PushError(.unsupported, "pushauth reaches etcd on Linux alone.")
        #endif
    }

    /// What a member says of itself.
    struct Member {
        let name: String
        /// `nil` if it doesn't answer.
        let size: (used: Double, quota: Double)?
        let reason: String?
    }

    /// Asks each member for its metrics, which need no user.
    func members() async throws(PushError) -> [Member] {
        let transport = try transport()
        var members: [Member] = []
        for url in place.members {
            let parts = url.split(separator: "/")
            let authority = String(parts.last ?? "")
            let request = HTTPRequest(
                method: .get, scheme: url.hasPrefix("https:") ? "https" : "http",
                authority: authority.contains(":") ? authority : authority + ":2379",
                path: "/metrics")
            do throws(PushError) {
                let (response, body) = try await transport.send(request, body: Data())
                let size = response.status == .ok ? Self.size(in: body) : nil
                members.append(
                    Member(
                        name: authority, size: size,
                        reason: size == nil ? "It doesn't say how full it is." : nil))
            } catch {
                members.append(Member(name: authority, size: nil, reason: error.reason))
            }
        }
        return members
    }

    /// Of the text form of Prometheus, the two lines that count.
    private static func size(in body: Data) -> (used: Double, quota: Double)? {
        var values: [Substring: Double] = [:]
        for line in String(decoding: body, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2, let value = Double(parts[1]) { values[parts[0]] = value }
        }
        guard let used = values["etcd_mvcc_db_total_size_in_bytes"],
            let quota = values["etcd_server_quota_backend_bytes"], quota > 0,
            (0...quota * 2).contains(used)
        else { return nil }
        return (used, quota)
    }
}
