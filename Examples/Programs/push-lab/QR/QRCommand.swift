import ArgumentParser
import Foundation
import QRCode
import TerminalIO

struct QRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qr",
        abstract: "Print a text as a QR code, in the terminal or as SVG.",
        discussion: "A text with a secret is better read from standard input (-).")

    @Argument(help: "The text, or - for standard input.") var text: String

    @Flag(help: "Print SVG.") var svg = false

    func run() throws {
        var text = text
        if text == "-" {
            do {
                var input = try BoundedInput("-", limit: 64 << 10)
                text = String(decoding: try input.all(), as: UTF8.self)
            } catch {
                throw ValidationError("\(error)")
            }
            if text.hasSuffix("\n") { text.removeLast() }
        }
        do {
            let code = try QRCode(fitting: text)
            print(
                svg
                    ? code.svg(title: "QR code")
                    : code.text(hasColors: Terminal.output.isInteractive))
        } catch {
            throw ValidationError(error.description)
        }
    }
}
