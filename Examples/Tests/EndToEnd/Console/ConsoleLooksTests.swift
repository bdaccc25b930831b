import Foundation
import PushCore
import Testing

@testable import push_lab

/// How the pages look: each at three widths, light and dark, with a picture of each.
@Suite(.serialized, .enabled(if: Browser.isPresent), .timeLimit(.minutes(4)))
struct ConsoleLooksTests {
    @Test func `pages of a fresh console fit, can be read, and say what to do first`() async throws
    {
        try await ConsoleDevice.runInBrowser { world, browser in
            let pages = [
                ("index-fresh", "/", "Enroll jane at ForgeRock AM"),
                ("user-fresh", "/forgerock/jane", "Enroll a device"),
                ("invitation", "/forgerock/jane/invitation", "Copy command"),
                ("invitation-account", "/onespan/jane/invitation", "Copy command"),
                ("not-found", "/forgerock/nobody", "All vendors"),
            ]
            for (name, path, action) in pages {
                try await browser.open(world.site.origin + path)
                try await look(browser, as: name, action)
            }
        }
    }

    @Test func `the login under way is a card, and nothing else is as loud`() async throws {
        try await ConsoleDevice.runInBrowser { world, browser in
            for vendor in ["forgerock", "xignin"] { try await world.enroll(at: vendor) }
            try await browser.open(world.site.origin + "/forgerock/jane")
            try await look(browser, as: "user-ready", "Log in")
            _ = try await world.post("/forgerock/jane/login", "kind=number")
            try await browser.open(world.site.origin + "/forgerock/jane")
            let login = try #require(await world.site.console.logins.first)
            let card =
                try await browser.evaluate(
                    "return document.getElementById('login').innerText"
                ).string ?? ""
            #expect(card.contains("Log in with a number"))
            #expect(card.contains("\(login.shown ?? "-")\n"))
            #expect(card.contains("waiting for jane’s phone"))
            try await look(browser, as: "user-waiting", nil)
            try await browser.open(world.site.origin)
            try await look(browser, as: "index-waiting", "jane at ForgeRock AM")

            await world.box.answer(.untaken(.unreachable, "not delivered: unreachable"))
            _ = try await world.logIn(at: "xignin")
            _ = try await world.post("/xignin/jane/fault", "fault=drop")
            _ = try await world.page("/xignin/jane", saying: "id=\"hint\"")
            try await browser.open(world.site.origin + "/xignin/jane")
            try await browser.click("#spoil-title")
            try await look(browser, as: "user-untaken", nil)
            _ = try await world.post("/xignin/jane/expire")
            _ = try await world.post("/forgerock/jane/expire")
            for (name, path, action) in [
                ("user-expired", "/xignin/jane", "Log in"), ("log", "/log", nil),
                ("log-user", "/forgerock/jane/log", nil),
                ("index", "/", "jane at XignIn"),
            ] {
                try await browser.open(world.site.origin + path)
                try await look(browser, as: name, action)
            }
        }
    }

    /// Keeps pictures of a page. `action` is its only primary button or link; `nil` if it has none.
    private func look(_ browser: Browser, as name: String, _ action: String?) async throws {
        for isDark in [false, true] {
            for width in [1280, 390, 320] {
                try await browser.resize(to: width, isDark: isDark)
                let place = "\(name)-\(width)-\(isDark ? "dark" : "light")"
                try await browser.keepScreenshot(as: place)
                let seen = try await browser.evaluate(Self.script)
                #expect(seen["width"] == .number(.init(Int64(width))), "\(place)")
                #expect(seen["actions"] == (action.map { [.string($0)] } ?? []), "\(place)")
                #expect(seen["tall"] == [], "\(place)")
                #expect(seen["pale"] == [], "\(place)")
            }
        }
    }

    /// What a page has: its whole width, its primary actions, the texts of lists' lines that take more
    /// than a line, and the texts with too little contrast (WCAG 2.2, 1.4.3).
    private static let script = """
        const seen = (node) => node.checkVisibility();
        const parts = (color) => color.match(/[0-9.]+/g).map(Number);
        const light = (color) => parts(color).slice(0, 3).map((part) => part / 255)
          .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
          .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
        const ground = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if ((parts(color)[3] ?? 1) === 1) return color;
          }
          return 'rgb(255, 255, 255)';
        };
        const pale = (node) => {
          const [one, other] = [light(getComputedStyle(node).color), light(ground(node))];
          return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5;
        };
        const texts = [...document.body.querySelectorAll('*')].filter((node) => seen(node)
          && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== ''));
        return {
          width: document.documentElement.scrollWidth,
          actions: [...document.querySelectorAll('.primary')].filter(seen).map((node) => node.textContent),
          tall: [...document.querySelectorAll('main > :not(.whole-lines) .lines .what')]
            .filter((node) => seen(node) && node.offsetHeight > 30).map((node) => node.textContent),
          pale: texts.filter(pale).map((node) => node.outerHTML),
        };
        """
}
