// What Select Graphic Rendition (ECMA-48 8.3.117, xterm's 256 and true colours) makes of a cell, and its HTML classes.

/// The look of one cell.
///
/// Colours are palette indexes 0…255, or -1 for the default.
struct TerminalStyle: Equatable {
    struct Marks: OptionSet {
        let rawValue: UInt16
        static let bold = Marks(rawValue: 1)
        static let dim = Marks(rawValue: 2)
        static let italic = Marks(rawValue: 4)
        static let underline = Marks(rawValue: 8)
        static let blink = Marks(rawValue: 16)
        static let inverse = Marks(rawValue: 32)
        static let hidden = Marks(rawValue: 64)
        static let strike = Marks(rawValue: 128)
        static let overline = Marks(rawValue: 256)
    }

    var marks: Marks = []
    var foreground: Int16 = -1
    var background: Int16 = -1
    /// Number of the link, or 0 for none.
    var link: UInt32 = 0

    var isPlain: Bool { marks.isEmpty && foreground < 0 && background < 0 }

    /// Applies the parameters of one `m` sequence; sub-parameters (after `:`) are marked by `isSub`.
    mutating func apply(_ parameters: [Int], isSub: [Bool]) {
        var index = 0
        while index < parameters.count {
            let code = parameters[index]
            index += 1
            switch code {
            case 0: reset()
            case 1: marks.insert(.bold)
            case 2: marks.insert(.dim)
            case 3: marks.insert(.italic)
            case 4:
                // `4:0` ends underlining, `4:3` is a curly one.
                if index < parameters.count, isSub[index], parameters[index] == 0 {
                    marks.remove(.underline)
                } else {
                    marks.insert(.underline)
                }
            case 5, 6: marks.insert(.blink)
            case 7: marks.insert(.inverse)
            case 8: marks.insert(.hidden)
            case 9: marks.insert(.strike)
            case 21: marks.insert(.underline)
            case 22: marks.subtract([.bold, .dim])
            case 23: marks.remove(.italic)
            case 24: marks.remove(.underline)
            case 25: marks.remove(.blink)
            case 27: marks.remove(.inverse)
            case 28: marks.remove(.hidden)
            case 29: marks.remove(.strike)
            case 30...37: foreground = Int16(code - 30)
            case 38:
                let (colour, used) = Self.colour(parameters, isSub, from: index)
                if let colour { foreground = colour }
                index += used
            case 39: foreground = -1
            case 40...47: background = Int16(code - 40)
            case 48:
                let (colour, used) = Self.colour(parameters, isSub, from: index)
                if let colour { background = colour }
                index += used
            case 49: background = -1
            case 53: marks.insert(.overline)
            case 55: marks.remove(.overline)
            case 58: index += Self.colour(parameters, isSub, from: index).used
            case 90...97: foreground = Int16(code - 90 + 8)
            case 100...107: background = Int16(code - 100 + 8)
            default: break
            }
            while index < parameters.count, isSub[index] { index += 1 }
        }
    }

    private mutating func reset() {
        marks = []
        foreground = -1
        background = -1
    }

    /// The palette index of `5;n`, `2;r;g;b`, `2::r:g:b`, and how many parameters that took.
    private static func colour(_ parameters: [Int], _ isSub: [Bool], from start: Int) -> (Int16?, used: Int) {
        guard start < parameters.count else { return (nil, 0) }
        var values = Array(parameters[start...].prefix(6))
        if isSub[start] {
            var length = 0
            while start + length < parameters.count, isSub[start + length] { length += 1 }
            values = Array(parameters[start..<start + length])
            // With sub-parameters a colour space may stand before the three components.
            if values.first == 2, values.count >= 5 { values.remove(at: 1) }
            return (index(of: values), length)
        }
        return (index(of: values), values.first == 5 ? 2 : values.first == 2 ? 4 : 1)
    }

    private static func index(of values: [Int]) -> Int16? {
        if values.first == 5, values.count >= 2, (0...255).contains(values[1]) { return Int16(values[1]) }
        guard values.first == 2, values.count >= 4 else { return nil }
        return nearest(red: values[1], green: values[2], blue: values[3])
    }

    /// The nearest of the 6×6×6 cube and the grey ramp (16…255); the first 16 belong to the reader's theme.
    static func nearest(red: Int, green: Int, blue: Int) -> Int16? {
        guard (0...255).contains(red), (0...255).contains(green), (0...255).contains(blue) else { return nil }
        let levels = [0, 95, 135, 175, 215, 255]
        func level(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40) }
        func distance(_ r: Int, _ g: Int, _ b: Int) -> Int {
            (r - red) * (r - red) + (g - green) * (g - green) + (b - blue) * (b - blue)
        }
        let (r, g, b) = (level(red), level(green), level(blue))
        let grey = max(0, min(23, ((red + green + blue) / 3 - 3) / 10))
        let ofCube = distance(levels[r], levels[g], levels[b])
        let ofGrey = distance(8 + grey * 10, 8 + grey * 10, 8 + grey * 10)
        return Int16(ofGrey < ofCube ? 232 + grey : 16 + 36 * r + 6 * g + b)
    }

    /// Appends the `class` value: names separated by spaces.
    func appendClasses(to bytes: inout [UInt8]) {
        var isFirst = true
        func add(_ text: String, to bytes: inout [UInt8]) {
            if !isFirst { bytes.append(UInt8(ascii: " ")) }
            isFirst = false
            bytes += text.utf8
        }
        if marks.contains(.bold) { add("a-bold", to: &bytes) }
        if marks.contains(.dim) { add("a-dim", to: &bytes) }
        if marks.contains(.italic) { add("a-italic", to: &bytes) }
        if marks.contains(.underline) { add("a-underline", to: &bytes) }
        if marks.contains(.blink) { add("a-blink", to: &bytes) }
        if marks.contains(.inverse) { add("a-inverse", to: &bytes) }
        if marks.contains(.hidden) { add("a-hidden", to: &bytes) }
        if marks.contains(.strike) { add("a-strike", to: &bytes) }
        if marks.contains(.overline) { add("a-overline", to: &bytes) }
        if foreground >= 0 { add("a-fg-\(foreground)", to: &bytes) }
        if background >= 0 { add("a-bg-\(background)", to: &bytes) }
    }
}
