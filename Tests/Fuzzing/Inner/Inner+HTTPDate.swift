import Foundation
import HTTPTypes

@testable import PushCore

extension Inner {
    /// About when a date of two digits is read, 28 May 2026.
    private static let present = Date(timeIntervalSince1970: 1_780_000_000)

    /// Reads a text as a date of HTTP's, and as what a reply asks for.
    public static func httpDate(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let text = String(decoding: bytes, as: UTF8.self)
        if let date = HTTPDate.parse(text, near: present), let broken = checked(date, text) {
            return broken
        }
        for (status, now) in [(429, present), (503, nil)] as [(Int, Date?)] {
            var response = HTTPResponse(status: .init(code: status))
            response.headerFields[.retryAfter] = text
            guard let pause = response.pause(at: now, near: present) else { continue }
            guard .zero <= pause, pause <= .seconds(86_400) else {
                return "nobody is left alone for more than a day"
            }
        }
        return nil
    }

    /// Compares with what C's library writes of the same moment.
    private static func checked(_ date: Date, _ text: String) -> StaticString? {
        var moment = time_t(date.timeIntervalSince1970)
        var parts = tm()
        // It pads no year, and a year has four digits.
        guard gmtime_r(&moment, &parts) != nil, -900...8099 ~= parts.tm_year else { return nil }
        var forms = [
            "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y",
        ].map { written(parts, $0) }
        let isNear = abs(date.timeIntervalSince(present)) < 49 * 365 * 86_400
        for (index, form) in forms.enumerated() where isNear || index != 1 {
            guard HTTPDate.parse(form, near: present) == date else {
                return "all forms of a moment are read as it"
            }
        }
        // A leap second is the next minute's first.
        guard !text.contains(":60") else { return nil }
        forms.append(written(parts, "%a %b %d %H:%M:%S %Y"))
        let isWritten = forms.contains { $0.drop(while: isLetter) == text.drop(while: isLetter) }
        return isWritten ? nil : "what is read is a moment as it is written, but for the weekday"
    }

    private static func isLetter(_ character: Character) -> Bool { character.isLetter }

    private static func written(_ parts: tm, _ form: String) -> String {
        var parts = parts
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, form, &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
