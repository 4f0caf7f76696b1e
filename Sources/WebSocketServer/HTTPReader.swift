/// Reads requests off the front of a byte stream (RFC 9112), strictly: what could be read in two ways is refused.
///
/// Pure. Holds the bytes that do not yet make a request; never more than the limits of head and body, and what came with
/// their last piece. Each byte is looked at once, in however many pieces it comes.
struct HTTPReader {
    enum Step {
        case needsMore
        /// The head announces a body, and its sender waits to be told to send it.
        case wantsContinue
        case request(HTTPRequest)
        /// Answer with this, then close: where the next request begins is not known.
        case refused(HTTPResponse)
    }

    /// Empty lines before a request: RFC 9112 2.2 asks for one to be passed over, and old clients send one after a body.
    private static let maxEmptyLines = 8

    private let maxHeadBytes: Int
    private let maxBodyBytes: Int
    private var bytes: [UInt8] = []
    /// Where in `bytes` that begins which is no request yet. What is before is cut off when it is the larger part.
    private var start = 0
    /// The end of a head is looked for from here on.
    private var searched = 0
    private var emptyLines = 0
    /// The request whose body is still coming, and the size of that.
    private var head: HTTPRequest?
    private var bodyCount = 0
    private var headCount = 0
    /// Memory of the request that was read last, as in `heldBytes`.
    private(set) var requestBytes = 0
    /// Bytes that were looked at or moved so far, each time counted: to be held against the bytes that came.
    private(set) var work = 0

    init(maxHeadBytes: Int, maxBodyBytes: Int) {
        self.maxHeadBytes = maxHeadBytes
        self.maxBodyBytes = maxBodyBytes
    }

    /// Bytes that are no request yet.
    var waitingBytes: Int { bytes.count - start }

    /// Memory of these, and of a request whose body is still coming; names and values take some twice what was sent.
    var heldBytes: Int { bytes.capacity + (head == nil ? 0 : 2 * headCount) }

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    /// What follows the last request: after an upgrade that is no longer HTTP.
    mutating func takeRest() -> [UInt8] {
        defer { consume(waitingBytes) }
        return Array(bytes[start...])
    }

    mutating func next() -> Step {
        if head == nil {
            guard skipEmptyLines() else { return .refused(Self.tooManyLines) }
            guard let end = endOfHead() else {
                return waitingBytes > maxHeadBytes ? .refused(Self.headTooLong) : .needsMore
            }
            guard end - start <= maxHeadBytes else { return .refused(Self.headTooLong) }
            emptyLines = 0
            work += end - start
            switch RequestHead.parse(bytes[start..<end]) {
            case .failure(let refusal): return .refused(refusal.response)
            case .success(let request):
                consume(end - start)
                switch bodySize(of: request) {
                case .failure(let refusal): return .refused(refusal.response)
                case .success(let size): bodyCount = size
                }
                head = request
                headCount = end - start
                if bodyCount > waitingBytes, request.hasToken("expect", "100-continue") { return .wantsContinue }
            }
        }
        guard waitingBytes >= bodyCount, var request = head else { return .needsMore }
        request.body = Array(bytes[start..<start + bodyCount])
        consume(bodyCount)
        head = nil
        requestBytes = 2 * headCount + bodyCount
        return .request(request)
    }

    private static let headTooLong = HTTPResponse.text(431, "The request's head is too long.")
    private static let tooManyLines = HTTPResponse.text(400, "Too many empty lines stand before the request.")

    private func bodySize(of request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        if request.header("transfer-encoding") != nil {
            return .failure(HTTPRefusal(411, "Send the body with Content-Length."))
        }
        let lengths = Set(request.headers.lazy.filter { $0.name == "content-length" }.map(\.value))
        guard let text = lengths.first else { return .success(0) }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return .failure(HTTPRefusal(400, "Content-Length is not one number."))
        }
        guard let size = Int(text), size <= maxBodyBytes else {
            return .failure(HTTPRefusal(413, "The body is larger than \(maxBodyBytes) bytes."))
        }
        return .success(size)
    }

    /// False when there are more than anybody needs.
    private mutating func skipEmptyLines() -> Bool {
        while waitingBytes >= 2, bytes[start] == 13, bytes[start + 1] == 10 {
            emptyLines += 1
            guard emptyLines <= Self.maxEmptyLines else { return false }
            work += 2
            consume(2)
        }
        return true
    }

    /// The index after the empty line that ends the head.
    private mutating func endOfHead() -> Int? {
        let first = max(start + 3, searched)
        let end = bytes.withUnsafeBytes { bytes in
            var index = first
            while index < bytes.count {
                if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 { break }
                index += 1
            }
            return index
        }
        work += max(0, min(end + 1, bytes.count) - first)
        searched = max(searched, end)
        return end < bytes.count ? end + 1 : nil
    }

    private mutating func consume(_ count: Int) {
        start += count
        searched = max(searched, start)
        if start == bytes.count {
            // An idle connection holds no buffer.
            bytes = []
            start = 0
            searched = 0
        } else if start > bytes.count / 2 {
            // As many bytes stay at most as are cut off, so that none is moved more than once for each that was read.
            bytes.removeFirst(start)
            work += bytes.count
            searched -= start
            start = 0
        }
    }
}

/// A request that is answered without being asked of anyone.
struct HTTPRefusal: Error {
    let response: HTTPResponse

    init(_ status: Int, _ line: String) { response = .text(status, line) }
}
