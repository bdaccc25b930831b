import Foundation
import QRCode

/// zbarimg, which reads pictures.
enum QRReader {
    static let path = "/usr/bin/zbarimg"

    static var isPresent: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Draws a symbol, and reads the drawing.
    static func read(
        _ code: QRCode, lightening isLightened: (Int, Int) -> Bool = { _, _ in false }
    ) async throws -> String {
        try await read(modules: code.size + 2 * QRCode.quietZone) { row, column in
            let (row, column) = (row - QRCode.quietZone, column - QRCode.quietZone)
            return code[row, column] && !isLightened(row, column)
        }
    }

    /// Reads the symbol of a picture in SVG: a path of rectangles, each one module high.
    static func read(svg: String) async throws -> String {
        guard let box = svg.firstMatch(of: /viewBox="0 0 (\d+) \d+"/), let full = Int(box.1) else {
            return ""
        }
        var dark: Set<Int> = []
        for rectangle in svg.matches(of: /M(\d+) (\d+)h(\d+)v1/) {
            guard let column = Int(rectangle.1), let row = Int(rectangle.2),
                let width = Int(rectangle.3)
            else { continue }
            dark.formUnion((column..<column + width).map { row * full + $0 })
        }
        return try await read(modules: full) { dark.contains($0 * full + $1) }
    }

    /// A picture of a symbol, in PGM.
    static func picture(of code: QRCode) -> Data {
        picture(modules: code.size + 2 * QRCode.quietZone) { row, column in
            code[row - QRCode.quietZone, column - QRCode.quietZone]
        }
    }

    private static func picture(
        modules count: Int, isDark: (_ row: Int, _ column: Int) -> Bool
    ) -> Data {
        let scale = 4
        let full = count * scale
        var picture = Data("P5 \(full) \(full) 255\n".utf8)
        for row in 0..<count {
            var line = Data(capacity: full)
            for column in 0..<count {
                line.append(contentsOf: repeatElement(isDark(row, column) ? 0 : 255, count: scale))
            }
            for _ in 0..<scale { picture.append(line) }
        }
        return picture
    }

    private static func read(
        modules count: Int, isDark: (_ row: Int, _ column: Int) -> Bool
    ) async throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("qr-\(UUID().uuidString).pgm")
        try picture(modules: count, isDark: isDark).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await Program(at: URL(fileURLWithPath: path))
            .run(["--quiet", "--raw", "-Sbinary", file.path])
        return result.output.trimmingCharacters(in: .newlines)
    }
}
