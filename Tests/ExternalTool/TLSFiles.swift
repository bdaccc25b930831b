import Foundation

/// An authority, a server's certificate and a client's, made by OpenSSL for one test.
package struct TLSFiles: Sendable {
    package let folder: TemporaryFolder

    package var authority: String { folder.path("ca.pem") }

    package init() throws {
        folder = try TemporaryFolder("tls")
        try run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/O=Acme test authority", "-keyout", folder.path("ca.key"),
            "-out", authority,
        ])
    }

    /// A certificate and its private key.
    ///
    /// - Parameters:
    ///   - name: What its files are named.
    ///   - subject: Its subject, such as `/O=acme`.
    ///   - hosts: The names and addresses that it is for, such as `IP:127.0.0.1`.
    /// - Returns: The two files.
    /// - Throws: An error if OpenSSL isn't there or fails.
    package func certificate(
        _ name: String, subject: String, hosts: [String] = []
    ) throws -> (certificate: String, key: String) {
        let (certificate, key) = (folder.path("\(name).pem"), folder.path("\(name).key"))
        let (request, extensions) = (folder.path("\(name).csr"), folder.path("\(name).ext"))
        try run([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", subject, "-keyout", key, "-out", request,
        ])
        var lines = ["extendedKeyUsage=serverAuth,clientAuth"]
        if !hosts.isEmpty { lines.append("subjectAltName=\(hosts.joined(separator: ","))") }
        try lines.joined(separator: "\n").write(
            toFile: extensions, atomically: false, encoding: .utf8)
        try run([
            "x509", "-req", "-in", request, "-CA", authority, "-CAkey", folder.path("ca.key"),
            "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", certificate,
        ])
        return (certificate, key)
    }

    private func run(_ arguments: [String]) throws {
        guard ExternalTool.openSSL.run(arguments) != nil else {
            throw CocoaError(.executableLoad)
        }
    }
}
