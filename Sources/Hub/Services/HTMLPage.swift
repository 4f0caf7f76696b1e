/// Pages that the hub makes itself: no script, and what somebody typed is text.
enum HTMLPage {
    /// A whole page, UTF-8. All but `style` is HTML already.
    static func bytes(_ title: String, style: String, main: String, foot: String) -> [UInt8] {
        bytes(title, language: "en", head: "<style>\(style)</style>", main: main, foot: foot)
    }

    /// The same in a language, as `de`. All is HTML already.
    static func bytes(_ title: String, language: String, head: String, main: String, foot: String) -> [UInt8] {
        Array(
            """
            <!DOCTYPE html><html lang="\(language)"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title)</title>\
            \(head)</head><body><main>\(main)</main><footer>\(foot)</footer></body></html>

            """.utf8)
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
