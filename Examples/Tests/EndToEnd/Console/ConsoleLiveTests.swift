import Foundation
import PushCore
import Testing

@testable import push_lab

/// How the pages keep up with what happens, in a real browser.
@Suite(.serialized, .enabled(if: Browser.isPresent), .timeLimit(.minutes(3)))
struct ConsoleLiveTests {
    @Test func `what is focused and typed outlasts what happens meanwhile`() async throws {
        try await ConsoleDevice.runInBrowser { world, browser in
            try await browser.open(world.site.origin)
            for (number, focused) in ["user-plusauth-john", "configuration", "add"].enumerated() {
                try await browser.focus("#\(focused)")
                _ = try await world.post("/users", "user=ann\(number)")
                try await browser.wait(for: "#user-onespan-ann\(number)")
                #expect(try await browser.focused() == focused)
            }
            try await browser.type("bo", into: "#user")
            _ = try await world.post("/users", "user=cid")
            try await browser.wait(for: "#user-onespan-cid")
            #expect(try await browser.focused() == "user")
            try await browser.type("b", into: "#user")
            #expect(
                try await browser.evaluate("return document.getElementById('user').value") == "bob")
        }
    }

    @Test func `a login's end changes the node that a reader of the screen watches`()
        async throws
    {
        try await ConsoleDevice.runInBrowser { world, browser in
            try await world.enroll(at: "xignin")
            try await browser.open("\(world.site.origin)/xignin/jane")
            try await browser.evaluate(
                """
                window.nodes = [...document.querySelectorAll('[role=status], [aria-live]')];
                document.getElementById('spoil').open = true
                """)
            let first = try await world.begin(at: "xignin")
            try await browser.wait(for: "#status[data-status=waiting]")
            try await browser.focus("[id=\"cancel-\(first)\"]")
            _ = try await world.begin(at: "xignin")
            try await browser.wait(for: "#logins li + li")
            #expect(try await browser.focused() == "cancel-\(first)")

            _ = try await world.post("/xignin/jane/expire")
            try await browser.wait(for: "#status[data-status=expired]")
            #expect(try await browser.text(of: "#status") == "expired")
            // What was focused is gone, and the keyboard stays where it was.
            #expect(try await browser.focused() == "login-\(first)")
            let isKept = try await browser.evaluate(
                """
                const now = [...document.querySelectorAll('[role=status], [aria-live]')];
                return window.nodes.length === 2 && window.nodes.every((n, i) => n === now[i])
                  && document.getElementById('spoil').open
                """)
            #expect(isKept == true)
        }
    }

    @Test func `after each button the focus is where the user was`() async throws {
        try await ConsoleDevice.runInBrowser { world, browser in
            try await world.enroll(at: "xignin")
            try await browser.open("\(world.site.origin)/xignin/jane")
            try await browser.evaluate(
                "document.getElementById('spoil').open = true; window.isSame = true")
            // Button, what shows that it did its work, and where the focus is then.
            let steps = [
                ("fault-delay", "#planned", "fault-delay"),
                ("fault-drop", "#planned", "fault-drop"),
                ("fault-none", "#faults:not(:has(#planned))", "faults"),
                ("login-confirm", "#status[data-status=waiting]", "login-confirm"),
                ("expire", "#status[data-status=expired]", "expire"),
                ("login-confirm", "#status[data-status=waiting]", "login-confirm"),
            ]
            for (button, effect, focused) in steps {
                try await browser.click("#\(button)")
                try await browser.wait(for: effect)
                #expect(try await browser.focused() == focused)
            }
            // What takes a login back goes with the login.
            try await browser.click("#login [id^=cancel-]")
            try await browser.wait(for: "#status[data-status=failed]")
            #expect(try await browser.focused() == "actions")
            #expect(try await browser.evaluate("return window.isSame") == true)

            try await browser.open("\(world.site.origin)/plusauth/john")
            try await browser.click("#login-confirm")
            try await browser.wait(for: "#alert p")
            #expect(try await browser.focused() == "login-confirm")
        }
    }
}

extension ConsoleDevice {
    /// Starts a login, and returns its identifier.
    fileprivate func begin(at vendor: String) async throws -> String {
        _ = try await logIn(at: vendor)
        return await site.console.logins.first?.id ?? ""
    }
}

extension Browser {
    /// Waits until a selector finds something.
    fileprivate func wait(for selector: String) async throws {
        try await wait(
            for: selector, "return document.querySelector(arguments[0]) !== null",
            .string(selector))
    }

    fileprivate func focus(_ selector: String) async throws {
        try await evaluate("document.querySelector(arguments[0]).focus()", .string(selector))
    }

    /// The identifier of what has the focus.
    fileprivate func focused() async throws -> String {
        try await evaluate("return document.activeElement.id").string ?? ""
    }
}
