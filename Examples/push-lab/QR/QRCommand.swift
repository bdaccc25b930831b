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
            text = String(
                decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
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
