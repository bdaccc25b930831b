#if os(iOS)
import SwiftUI
import Vision
import VisionKit

/// The camera, until it has read a code. The Info.plist says why: `NSCameraUsageDescription`.
struct CodeScanner: UIViewControllerRepresentable {
    let found: @MainActor (String) -> Void
    let failed: @MainActor () -> Void

    func makeUIViewController(context: Context) -> DataScannerViewController {
        let scanner = DataScannerViewController(
            recognizedDataTypes: [.barcode(symbologies: [.qr])])
        scanner.delegate = context.coordinator
        return scanner
    }

    /// Starts once the scanner is on the screen; the first start asks the user for the camera.
    func updateUIViewController(_ scanner: DataScannerViewController, context: Context) {
        guard !scanner.isScanning else { return }
        do {
            try scanner.startScanning()
        } catch {
            context.coordinator.fail()
        }
    }

    func makeCoordinator() -> Coordinator { Coordinator(found, failed) }

    @MainActor
    final class Coordinator: DataScannerViewControllerDelegate {
        private var found: (@MainActor (String) -> Void)?
        private let failed: @MainActor () -> Void

        init(
            _ found: @escaping @MainActor (String) -> Void,
            _ failed: @escaping @MainActor () -> Void
        ) {
            self.found = found
            self.failed = failed
        }

        /// Later, as views may not change what they show while they are being updated.
        func fail() { Task { failed() } }

        func dataScanner(
            _ scanner: DataScannerViewController,
            becameUnavailableWithError error: DataScannerViewController.ScanningUnavailable
        ) {
            failed()
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
