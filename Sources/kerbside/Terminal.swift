import Foundation
import Glibc
import Wire

/// What the commands write, all of it: to people what a terminal can't obey, whoever wrote it, and to programs what they asked for.
enum Terminal {
    static let isInteractive = isatty(STDOUT_FILENO) == 1

    /// To standard error.
    static func warn(_ text: String) { write("kerbside: \(text.printable)\n", to: STDERR_FILENO) }

    /// The last words of a command that fails, to standard error.
    static func fail(_ text: String) { write(text.printable + "\n", to: STDERR_FILENO) }

    /// A line that is there at once, also in a pipe.
    static func line(_ text: String) { write(text.printable + "\n", to: STDOUT_FILENO) }

    /// Likewise of parts, with spaces between them. Colours (of ANSI) are seen only on a terminal, and not where NO_COLOR is set.
    static func line(_ parts: (text: String, colour: Int?)...) {
        let areColours = isInteractive && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        let shown = parts.map { text, colour in
            guard areColours, let colour else { return text.printable }
            return "\u{1B}[\(colour)m\(text.printable)\u{1B}[0m"
        }
        write(shown.joined(separator: " ") + "\n", to: STDOUT_FILENO)
    }

    /// What a program may read, to the byte: JSON, a table, a token. On a terminal it is for people, too.
    static func result(_ bytes: [UInt8]) {
        guard isInteractive else { return write(bytes, to: STDOUT_FILENO) }
        write(String(decoding: bytes, as: UTF8.self).printable, to: STDOUT_FILENO)
    }

    static func result(_ text: String) { result(Array(text.utf8)) }

    private static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    /// Ends the program where standard output takes no more: half a result must not look like a whole one.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            let error = errno
            if error == EINTR { continue }
            if error == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
                continue
            }
            guard descriptor == STDOUT_FILENO else { return }
            // Nobody reads that any more, and nobody needs to hear of it.
            if error == EPIPE { exit(141) }
            fail("Error: standard output can't be written: \(String(cString: strerror(error)))")
            exit(1)
        }
    }
}
