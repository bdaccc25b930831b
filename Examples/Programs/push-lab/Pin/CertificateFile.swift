import Foundation
import NIOSSL
import TerminalIO

/// A file with certificates: any number in PEM, with whatever stands between them, or one in DER.
enum CertificateFile {
    /// The largest file that is read, in bytes.
    private static let limit = 8 << 20

    static func read(_ path: String) throws(PinFailure) -> [ShownCertificate] {
        let bytes = try contents(path)
        var certificates: [Data] = []
        if bytes.range(of: Data("-----BEGIN ".utf8)) != nil {
            let read = (try? NIOSSLCertificate.fromPEMBytes(Array(bytes))) ?? []
            certificates = read.compactMap { try? Data($0.toDERBytes()) }
        } else if let certificate = try? NIOSSLCertificate(bytes: Array(bytes), format: .der),
            (try? Data(certificate.toDERBytes())) == bytes
        {
            certificates = [bytes]
        }
        guard !certificates.isEmpty else {
            throw PinFailure("There is no certificate in \(printable(path)), or it can't be read.")
        }
        return certificates.map { ShownCertificate($0, isFirst: false) }
    }

    private static func contents(_ path: String) throws(PinFailure) -> Data {
        let name = printable(path)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw PinFailure("There is no file \(name).")
        }
        guard !isDirectory.boolValue else { throw PinFailure("\(name) is a directory.") }
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.read(upToCount: limit + 1)
        else { throw PinFailure("\(name) is empty or can't be read.") }
        guard bytes.count <= limit else { throw PinFailure("\(name) is too large.") }
        return bytes
    }
}
