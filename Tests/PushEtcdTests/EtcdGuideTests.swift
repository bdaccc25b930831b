import PushCore
import PushEtcd
import PushPlatform
import PushSealing
import PushTesting
import Testing

/// What `docs/etcd-store.md` shows.
struct EtcdGuideTests {
    private func open(_ password: Secret) async throws -> SealedStore {
        // snippet: open
        let etcd = try EtcdStore(
            EtcdStore.Configuration(
                members: [
                    "https://10.0.0.1:2379", "https://10.0.0.2:2379", "https://10.0.0.3:2379",
                ],
                tenant: "acme", login: EtcdStore.Login(user: "pushauth", password: password)),
            transport: CurlTransport(
                .etcd(
                    certificateAuthorities: .file("/etc/acme/etcd-ca.pem"),
                    clientCertificate: .files(
                        certificate: "/etc/acme/client.pem", key: "/etc/acme/client.key"))))
        let store = try await SealedStore(etcd, key: .file("/etc/acme/push.key"), tenant: "acme")
        // end snippet
        return store
    }

    @Test func `the page's code wants its key before anything is sent`() async throws {
        let error = try await refusal { try await open(Secret(Array("secret".utf8))) }
        #expect(error.code == .storage)
        #expect(error.reason.contains("/etc/acme/push.key"))
    }
}
