import Glibc
import Wire

/// Where a run speaks to people (standard error) and gives its result (standard output).
package enum Console {
    package static let result: Int32 = 1
    package static let people: Int32 = 2

    /// Columns of a terminal; 100 where it doesn't say.
    package static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
        return Int(size.ws_col)
    }

    /// What others wrote is in it, too.
    package static func write(_ text: String, to descriptor: Int32) { put(text.printable, to: descriptor) }

    /// In the place of the last line, if that has no end yet.
    package static func rewrite(_ text: String, to descriptor: Int32) {
        put("\r\u{1B}[2K" + text.printable, to: descriptor)
    }

    /// JSON, to the byte.
    package static func write(json: String) { put(json + "\n", to: result) }

    private static func put(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
