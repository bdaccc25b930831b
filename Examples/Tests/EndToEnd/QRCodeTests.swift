import Foundation
import PushForgeRockSimulator
import PushTesting
import QRCode
import Testing

/// One after the other: each computes for long, and others want to be answered meanwhile.
@Suite(.serialized) struct QRCodeTests {
    /// The versions and levels of every symbol that can be made.
    static let symbols = (1...40).flatMap { version in
        ErrorCorrection.allCases.map { (version, $0) }
    }

    @Test(.enabled(if: QRReader.isPresent), arguments: symbols)
    func `another program reads every version at every level`(
        version: Int, level: ErrorCorrection
    ) async throws {
        let text = "v\(version) \(level) äß漢 #&+/=?"
        let code = try QRCode(text, correcting: level, from: version)
        #expect(code.version >= version)
        #expect(try await QRReader.read(code) == text)
    }

    @Test(.enabled(if: QRReader.isPresent), arguments: ErrorCorrection.allCases)
    func `another program reads the longest texts`(level: ErrorCorrection) async throws {
        let limit = try #require(throws: QRCode.TooLong.self) {
            try QRCode(String(repeating: "x", count: 5000), correcting: level)
        }.limit
        let text = String((0..<limit).map { "0123456789abcdefghijklmnopqrstuvwxyz"[$0 % 36] })
        let code = try QRCode(text, correcting: level)
        #expect(code.version == 40)
        #expect(try await QRReader.read(code) == text)
        #expect(throws: QRCode.TooLong.self) { try QRCode(text + "x", correcting: level) }
    }

    /// No other vendor's is longer: push and one-time codes in one, with a logo and policies.
    @Test(.enabled(if: QRReader.isPresent))
    func `another program reads the longest invitation`() async throws {
        let name = String(repeating: "long-name-", count: 6)
        let host = "\(name).identity.europe-west.\(name).example.com"
        let simulator = ForgeRockSimulator(
            .init(realm: "/alpha/\(name)", issuer: "Example Bank \(name)"))
        try await simulator.move(to: "https://\(host):8443")
        var options = ForgeRockSimulator.EnrollmentOptions(.pushAndTOTP, account: name)
        options.image = "https://cdn.\(host)/brands/\(name)/logo.png"
        options.policies = #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#
        let text = try await simulator.enrollmentURI(for: name, options: options)
        #expect((1200...2953).contains(text.utf8.count), "\(text.utf8.count)")
        #expect(try await QRReader.read(QRCode(fitting: text)) == text)
    }

    @Test(.enabled(if: QRReader.isPresent))
    func `a damaged symbol is still read`() async throws {
        let code = try QRCode("acme://enroll?code=12345", correcting: .high)
        let middle = code.size / 2
        #expect(
            try await QRReader.read(code) { row, column in
                abs(row - middle) < 2 && abs(column - middle) < 2
            } == "acme://enroll?code=12345")
    }

    @Test func `capacities are those of the standard's table`() {
        // ISO/IEC 18004, table 7: bytes in version 40, in the order L, M, Q, H.
        let limits = ErrorCorrection.allCases.map { level in
            #expect(throws: QRCode.TooLong.self) {
                try QRCode(String(repeating: "x", count: 5000), correcting: level)
            }?.limit
        }
        #expect(limits == [2953, 2331, 1663, 1273])
        #expect((try? QRCode(String(repeating: "x", count: 858), correcting: .low))?.version == 20)
        #expect((try? QRCode(String(repeating: "x", count: 382), correcting: .high))?.version == 20)
        #expect((try? QRCode(String(repeating: "x", count: 17), correcting: .low))?.version == 1)
        #expect((try? QRCode(String(repeating: "x", count: 18), correcting: .low))?.version == 2)
        #expect((try? QRCode(String(repeating: "x", count: 7), correcting: .high))?.version == 1)
    }

    @Test func `a text that no symbol holds is told with its length and what would do`()
        async throws
    {
        let text = String(repeating: "x", count: 2954)
        let error = #expect(throws: QRCode.TooLong.self) { try QRCode(fitting: text) }
        #expect(error?.description == "The text has 2954 bytes; a QR code takes 2953.")
        let result = try await Program("push-lab").run(["qr", text])
        #expect(result.exitCode != 0 && result.output.isEmpty)
        #expect(result.errors.contains("The text has 2954 bytes; a QR code takes 2953."))
        let largest = try await Program("push-lab").run(["qr", "--svg", String(text.dropLast())])
        #expect(largest.exitCode == 0 && largest.output.contains("viewBox=\"0 0 185 185\""))
    }

    @Test func `a picture has a title that can't close it, and a quiet zone`() throws {
        let svg = try QRCode("x").svg(title: "<b> & co")
        #expect(svg.contains("<title>&lt;b> &amp; co</title>"))
        #expect(svg.contains("viewBox=\"0 0 29 29\""))
        #expect(!svg.contains("M3 ") && svg.contains("M4 4h7"))
    }

    @Test func `a terminal shows the same modules as a picture`() throws {
        let code = try QRCode("https://acme.example")
        let lines = code.text(hasColors: false).split(separator: "\n").map(Array.init)
        for row in 0..<code.size {
            for column in 0..<code.size {
                let place = row + QRCode.quietZone
                let character = lines[place / 2][column + QRCode.quietZone]
                let isLight = place.isMultiple(of: 2) ? "█▀" : "█▄"
                #expect(isLight.contains(character) != code[row, column])
            }
        }
    }
}

extension StringProtocol {
    fileprivate subscript(offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
