/// HTML in which whatever is interpolated is text, unless it is markup itself.
struct Markup: ExpressibleByStringInterpolation, Sendable {
    let html: String

    init(stringLiteral html: String) {
        self.html = html
    }

    init(stringInterpolation: Interpolation) {
        html = stringInterpolation.html
    }

    /// Text of anybody.
    init(text: String) {
        html = Self.escaped(text)
    }

    /// HTML that was made elsewhere, such as a picture in SVG.
    init(trusted html: String) {
        self.html = html
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
            .replacing("'", with: "&#39;")
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { html += literal }

        mutating func appendInterpolation(_ text: some CustomStringConvertible) {
            html += Markup.escaped(text.description)
        }

        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

        mutating func appendInterpolation(_ parts: [Markup]) {
            for part in parts { html += part.html }
        }
    }
}
