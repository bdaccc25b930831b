#if os(iOS)
import SwiftUI
import VisionKit

/// The camera, until it has read a code. The Info.plist says why: `NSCameraUsageDescription`.
struct CodeScanner: UIViewControllerRepresentable {
    let found: @MainActor (String) -> Void

    func makeUIViewController(context: Context) -> DataScannerViewController {
        let scanner = DataScannerViewController(
            recognizedDataTypes: [.barcode(symbologies: [.qr])])
        scanner.delegate = context.coordinator
        try? scanner.startScanning()
        return scanner
    }

    func updateUIViewController(_ scanner: DataScannerViewController, context: Context) {}

    func makeCoordinator() -> Coordinator { Coordinator(found) }

    @MainActor
    final class Coordinator: DataScannerViewControllerDelegate {
        private var found: (@MainActor (String) -> Void)?

        init(_ found: @escaping @MainActor (String) -> Void) {
            self.found = found
        }

        func dataScanner(
            _ scanner: DataScannerViewController, didAdd items: [RecognizedItem],
            allItems: [RecognizedItem]
        ) {
            for case .barcode(let code) in items {
                guard let text = code.payloadStringValue else { continue }
                scanner.stopScanning()
                found?(text)
                // One code is enough, whatever else is in the picture.
                found = nil
            }
        }
    }
}
#endif
