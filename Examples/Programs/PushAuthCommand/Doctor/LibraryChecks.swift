import Foundation

/// The libraries and programs that this one uses.
struct LibraryChecks {
    func look() -> [DoctorCheck] {
        [libraries, reader]
    }

    private var libraries: DoctorCheck {
        let versions = [Self.swift, Self.curl].compactMap { $0 }
        return .ok("libraries", versions.joined(separator: ", ") + ".")
    }

    private var reader: DoctorCheck {
        if let tool = QRImage.tool { return .ok("zbarimg", tool + ".") }
        return .warning(
            "zbarimg", "There is none, so `pushauth enroll --image` can't read pictures.",
            "On Debian and Ubuntu: apt-get install zbar-tools.")
    }

    private static var swift: String {
        #if compiler(>=6.4)
        "Swift 6.4 or newer"
        #else
        "Swift 6.3"
        #endif
    }

    /// libcurl's own words, such as `libcurl/8.5.0 OpenSSL/3.0.13`: the one that is linked, which
    /// may be newer than the one this was built with.
    private static var curl: String? {
        #if os(Linux)
        guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "curl_version") else { return nil }
        let version = unsafeBitCast(
            symbol, to: (@convention(c) () -> UnsafePointer<CChar>?).self)
        return version().map { String(cString: $0) }
        #else
        return nil
        #endif
    }
}
