import Foundation

/// The libraries and programs that this one uses.
struct LibraryChecks {
    func look() -> [DoctorCheck] {
        [libraries, reader]
    }

    private var libraries: DoctorCheck {
        #if os(Linux)
        guard let curl = Self.curl else {
            return .problem(
                "libraries", "There is no libcurl, so no server can be reached.",
                "On Debian and Ubuntu: apt-get install libcurl4.")
        }
        return .ok("libraries", "\(Self.swift), \(curl).")
        #else
        return .ok("libraries", Self.swift + ".")
        #endif
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

    #if os(Linux)
    /// The words of the libcurl that exchanges load, such as `libcurl/8.5.0 OpenSSL/3.0.13`.
    private static var curl: String? {
        guard let library = dlopen("libcurl.so.4", RTLD_NOW),
            let symbol = dlsym(library, "curl_version")
        else { return nil }
        let version = unsafeBitCast(
            symbol, to: (@convention(c) () -> UnsafePointer<CChar>?).self)
        return version().map { String(cString: $0) }
    }
    #endif
}
