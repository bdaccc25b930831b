// swift-format-ignore-file
// Stand-in, written for this check: the scanner of codes.
@_exported import UIKit
public import Vision

@available(iOS 16, *)
@MainActor @objc open class DataScannerViewController: UIViewController {
    public struct RecognizedDataType: Hashable, Sendable {
        public static func barcode(symbologies: [VNBarcodeSymbology] = []) -> RecognizedDataType { fatalError() }
    }
    @MainActor public static var isSupported: Bool { fatalError() }
    @MainActor public static var isAvailable: Bool { fatalError() }
    public weak var delegate: (any DataScannerViewControllerDelegate)?
    public init(recognizedDataTypes: Set<RecognizedDataType>) { fatalError() }
    public var isScanning: Bool { fatalError() }
    public enum ScanningUnavailable: Error { case unsupported, cameraRestricted }
    public func startScanning() throws {}
    public func stopScanning() {}
}
@available(iOS 16, *)
public enum RecognizedItem: Identifiable, Sendable {
    public struct Barcode: Identifiable, Sendable {
        public var id: Int { fatalError() }
        public var payloadStringValue: String? { fatalError() }
    }
    case barcode(Barcode)
    public var id: Int { fatalError() }
}
@available(iOS 16, *)
@MainActor public protocol DataScannerViewControllerDelegate: AnyObject {
    func dataScanner(_ dataScanner: DataScannerViewController, becameUnavailableWithError error: DataScannerViewController.ScanningUnavailable)
    func dataScanner(_ dataScanner: DataScannerViewController, didAdd addedItems: [RecognizedItem], allItems: [RecognizedItem])
}
@available(iOS 16, *)
extension DataScannerViewControllerDelegate {
    public func dataScanner(_ dataScanner: DataScannerViewController, becameUnavailableWithError error: DataScannerViewController.ScanningUnavailable) {}
    public func dataScanner(_ dataScanner: DataScannerViewController, didAdd addedItems: [RecognizedItem], allItems: [RecognizedItem]) {}
}
