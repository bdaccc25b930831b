import Foundation
import QRCode
import Testing

@Suite struct QRCodeTests {
    /// The versions and levels of every symbol that can be made.
    static let symbols = (1...20).flatMap { version in
        ErrorCorrection.allCases.map { (version, $0) }
    }

    @Test(.enabled(if: Reader.isPresent), arguments: symbols)
    func `another program reads every version at every level`(
        version: Int, level: ErrorCorrection
    ) async throws {
        let text = "v\(version) \(level) äß漢 #&+/=?"
        let code = try QRCode(text, correcting: level, from: version)
        #expect(code.version >= version)
        #expect(try await Reader.read(code) == text)
    }

    @Test(.enabled(if: Reader.isPresent), arguments: ErrorCorrection.allCases)
    func `another program reads the longest texts`(level: ErrorCorrection) async throws {
        let limit = try #require(throws: QRCode.TooLong.self) {
            try QRCode(String(repeating: "x", count: 5000), correcting: level)
        }.limit
        let text = String((0..<limit).map { "0123456789abcdefghijklmnopqrstuvwxyz"[$0 % 36] })
        let code = try QRCode(text, correcting: level)
        #expect(code.version == 20)
        #expect(try await Reader.read(code) == text)
        #expect(throws: QRCode.TooLong.self) { try QRCode(text + "x", correcting: level) }
    }

    @Test(.enabled(if: Reader.isPresent))
    func `a damaged symbol is still read`() async throws {
        let code = try QRCode("acme://enroll?code=12345", correcting: .high)
        let middle = code.size / 2
        #expect(
            try await Reader.read(code) { row, column in
                abs(row - middle) < 2 && abs(column - middle) < 2
            } == "acme://enroll?code=12345")
    }

    @Test func `capacities are those of the standard's table`() {
        // ISO/IEC 18004, table 7: bytes in version 20.
        let limits = ErrorCorrection.allCases.map { level in
            (try? QRCode(String(repeating: "x", count: 900), correcting: level)) == nil
        }
        #expect(limits == [true, true, true, true])
        #expect((try? QRCode(String(repeating: "x", count: 858), correcting: .low))?.version == 20)
        #expect((try? QRCode(String(repeating: "x", count: 382), correcting: .high))?.version == 20)
        #expect((try? QRCode(String(repeating: "x", count: 17), correcting: .low))?.version == 1)
        #expect((try? QRCode(String(repeating: "x", count: 18), correcting: .low))?.version == 2)
        #expect((try? QRCode(String(repeating: "x", count: 7), correcting: .high))?.version == 1)
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

/// zbarimg, which reads pictures.
private enum Reader {
    static let path = "/usr/bin/zbarimg"

    static var isPresent: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Draws a symbol, and reads the drawing.
    static func read(
        _ code: QRCode, lightening isLightened: (Int, Int) -> Bool = { _, _ in false }
    ) async throws -> String {
        let scale = 4
        let full = (code.size + 2 * QRCode.quietZone) * scale
        var picture = Data("P5 \(full) \(full) 255\n".utf8)
        for y in 0..<full {
            for x in 0..<full {
                let (row, column) = (y / scale - QRCode.quietZone, x / scale - QRCode.quietZone)
                let isDark = code[row, column] && !isLightened(row, column)
                picture.append(isDark ? 0 : 255)
            }
        }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("qr-\(UUID().uuidString).pgm")
        try picture.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await Program(at: URL(fileURLWithPath: path))
            .run(["--quiet", "--raw", "-Sbinary", file.path])
        return result.output.trimmingCharacters(in: .newlines)
    }
}
