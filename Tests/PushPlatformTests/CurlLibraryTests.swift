#if os(Linux)
import ExternalTool
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

@Suite struct `libcurl, which the first exchange loads` {
    private func failure(_ library: String) async throws -> PushError {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let ticket = CurlTicket(
            try CurlRequest(
                .post(server), body: Data(), configuration: .init(plainHTTP: .loopbackOnly)))
        let loop = CurlEventLoop(library: library)
        let reply = await withCheckedContinuation { continuation in
            loop.submit(ticket) { continuation.resume(returning: $0) }
        }
        #expect(server.connectionCount == 0)
        return try await refusal { try reply.get() }
    }

    @Test func `is said to be missing, with the package to install`() async throws {
        let error = try await failure("/nowhere/libcurl.so.4")
        #expect(error.code == .unreachable)
        #expect(error.reason.contains("/nowhere/libcurl.so.4"))
        #expect(error.reason.contains("package libcurl4"))
    }

    @Test func `is refused if it isn't libcurl`() async throws {
        let error = try await failure("libm.so.6")
        #expect(error.code == .unreachable)
        #expect(error.reason.contains("libm.so.6 has no curl_global_init"))
    }

    // In a process of its own, as another test may have loaded it for this one.
    @Test func `isn't missed by a transport that makes no exchange`() async {
        await #expect(processExitsWith: .success) {
            var transport: CurlTransport? = CurlTransport()
            #expect(transport?.configuration == .init())
            transport = nil
        }
    }

    // MARK: What is declared of it

    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Modules/CPushCurl").path

    /// What a compiler says to a text in C that sees libcurl's and OpenSSL's own headers.
    private static func complaints(_ text: String) -> String? {
        let headers = """
            #include <curl/curl.h>
            #include <openssl/ssl.h>
            #include <stddef.h>

            """
        let command = "clang -std=gnu17 -w -fsyntax-only -I \"$0\" -x c - 2>&1 || true"
        return ExternalTool(name: "sh")
            .run(["-c", command, "\(sources)/include"], input: Data((headers + text).utf8))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(.enabled(if: complaints("") == ""))
    func `has the functions, structures and numbers that are declared of it`() throws {
        let paths = ["include/CPushCurl.h", "library.h"].map { "\(Self.sources)/\($0)" }
        let declared = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        let names = Set(
            declared.matches(of: /PUSH_((?:CURL|CRYPTO|OPENSSL|X509)[A-Za-z0-9_]+) (?:= )?[0-9]/)
                .map { $0.1 }
        ).subtracting(["CURL_PIN_SIZE"])
        #expect(names.count > 70)
        let numbers = names.sorted().map {
            "_Static_assert((long)PUSH_\($0) == (long)\($0), \"\($0)\");\n"
        }
        let complaints = Self.complaints(
            paths.map { "#include \"\($0)\"\n" }.joined()
                + """
                #define OPENSSL(result, name, arguments) _Static_assert( \\
                    __builtin_types_compatible_p(result (*) arguments, __typeof__(&name)), #name);
                #define OF_CURL(result, name, arguments) OPENSSL(result, curl_##name, arguments)
                PUSH_CURL_FUNCTIONS(OF_CURL)
                PUSH_OPENSSL_FUNCTIONS(OPENSSL)
                #define AT(ours, theirs, field) _Static_assert( \\
                    offsetof(struct ours, field) == offsetof(struct theirs, field), #field);
                AT(push_curl_version, curl_version_info_data, ssl_version)
                AT(push_curl_known_option, curl_easyoption, id)
                AT(push_curl_known_option, curl_easyoption, type)
                AT(push_curl_ending, CURLMsg, msg)
                AT(push_curl_ending, CURLMsg, easy_handle)
                AT(push_curl_ending, CURLMsg, data.result)
                static push_curl_receiver receiver(curl_write_callback one) { return one; }
                static push_curl_attempt attempt(curl_prereq_callback one) { return one; }

                """ + numbers.joined())
        #expect(complaints == "")
    }
}
#endif
