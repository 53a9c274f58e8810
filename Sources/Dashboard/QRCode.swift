// QR codes for pairing links: in the terminal at the first start, as SVG on the settings page. Byte mode, error correction
// L and M, versions 1 to 10 (57 modules, 271 bytes), after ISO/IEC 18004:2015.

package import Markup

/// A square of dark and light modules.
package struct QRCode: Sendable {
    /// How much of the picture may be damaged: about 7 % or 15 %.
    package enum Level: Sendable { case low, medium }

    /// Modules on a side: 21 for version 1, 4 more for each further one.
    package let size: Int
    private var dark: [Bool]
    /// Modules that belong to patterns and are never masked.
    private var isFixed: [Bool]

    /// The smallest code that holds `text`; nil when version 10 is too small for it.
    ///
    /// - Parameter mask: 0...7 forces that mask; nil takes the one with the lowest penalty.
    package init?(_ text: String, level: Level = .medium, mask forced: Int? = nil) {
        let bytes = Array(text.utf8)
        guard let version = (1...10).first(where: { Blocks(version: $0, level: level).capacity >= bytes.count }) else {
            return nil
        }
        size = 17 + 4 * version
        dark = Array(repeating: false, count: size * size)
        isFixed = dark
        drawPatterns(version: version)
        draw(codewords: Blocks(version: version, level: level).codewords(of: bytes))
        let unmasked = dark
        var best: (penalty: Int, dark: [Bool])?
        for mask in forced.map({ $0...$0 }) ?? 0...7 {
            dark = unmasked
            apply(mask: mask)
            drawFormat(level: level, mask: mask)
            let penalty = penalty()
            if best.map({ penalty < $0.penalty }) ?? true { best = (penalty, dark) }
        }
        dark = best?.dark ?? unmasked
    }

    package subscript(column: Int, row: Int) -> Bool { dark[row * size + column] }

    // MARK: pictures

    /// Lines of half-block characters with the quiet zone of four modules, for a terminal with light text on dark ground.
    ///
    /// - Parameter coloured: adds the escape sequences for white on black, so that it can be read on any ground.
    package func terminalText(coloured: Bool) -> String {
        var text = ""
        func isLight(_ column: Int, _ row: Int) -> Bool {
            guard (0..<size).contains(column), (0..<size).contains(row) else { return row < size + 4 }
            return !self[column, row]
        }
        for row in stride(from: -4, to: size + 4, by: 2) {
            if coloured { text += "\u{1B}[40;97m" }
            for column in -4..<size + 4 {
                switch (isLight(column, row), isLight(column, row + 1)) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += coloured ? "\u{1B}[0m\n" : "\n"
        }
        return text
    }

    /// A picture for a page; dark on white on every theme, because that is what cameras look for.
    package func svg(label: String) -> HTML {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                guard self[column, row] else { column += 1; continue }
                let start = column
                while column < size, self[column, row] { column += 1 }
                path += "M\(start + 4) \(row + 4)h\(column - start)v1h-\(column - start)z"
            }
        }
        let side = size + 8
        return """
            <svg class="qr-code" viewBox="0 0 \(side) \(side)" role="img" aria-label="\(label)" \
            shape-rendering="crispEdges"><rect width="\(side)" height="\(side)" fill="#fff"/>\
            <path d="\(path)" fill="#000"/></svg>
            """
    }

    // MARK: drawing (ISO/IEC 18004 sections 6.3, 7.7, 7.8, 7.9)

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
        dark[row * size + column] = isDark
        isFixed[row * size + column] = true
    }

    private mutating func drawPatterns(version: Int) {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(column, row) }
        let last = size - 7
        let middle = [0, 0, 0, 0, 0, 0, 0, 22, 24, 26, 28][version]
        let centres = version == 1 ? [] : (middle == 0 ? [6, last] : [6, middle, last])
        for row in centres {
            for column in centres
            where !(row == 6 && column == 6 || row == 6 && column == last || row == last && column == 6) {
                for y in -2...2 {
                    for x in -2...2 { set(column + x, row + y, max(abs(x), abs(y)) != 1) }
                }
            }
        }
        drawFormat(level: .low, mask: 0)
        guard version >= 7 else { return }
        let bits = QRCode.remainder(version, generator: 0x1F25, length: 12)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(size - 11 + index % 3, index / 3, isDark)
            set(index / 3, size - 11 + index % 3, isDark)
        }
    }

    private mutating func drawFinder(_ column: Int, _ row: Int) {
        for y in -4...4 {
            for x in -4...4 where (0..<size).contains(column + x) && (0..<size).contains(row + y) {
                let distance = max(abs(x), abs(y))
                set(column + x, row + y, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawFormat(level: Level, mask: Int) {
        let data = (level == .low ? 1 : 0) << 3 | mask
        let bits = QRCode.remainder(data, generator: 0x537, length: 10) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            // Beside the upper left finder, then split between the two others.
            switch index {
            case 0...5: set(8, index, isDark)
            case 6, 7: set(8, index + 1, isDark)
            case 8: set(7, 8, isDark)
            default: set(14 - index, 8, isDark)
            }
            if index < 8 { set(size - 1 - index, 8, isDark) } else { set(8, size - 15 + index, isDark) }
        }
        set(8, size - 8, true)
    }

    /// `data` followed by its remainder of a division by `generator` over GF(2).
    private static func remainder(_ data: Int, generator: Int, length: Int) -> Int {
        var rest = data
        for _ in 0..<length { rest = rest << 1 ^ (rest >> (length - 1)) * generator }
        return data << length | rest
    }

    private mutating func draw(codewords: [UInt8]) {
        var bit = 0
        for right in [Int](stride(from: size - 1, through: 8, by: -2)) + [5, 3, 1] {
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row * size + column] {
                    let isDark = bit < codewords.count * 8 && codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    dark[row * size + column] = isDark
                    bit += 1
                }
            }
        }
    }

    private mutating func apply(mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row * size + column] {
                let flips =
                    switch mask {
                    case 0: (row + column) % 2 == 0
                    case 1: row % 2 == 0
                    case 2: column % 3 == 0
                    case 3: (row + column) % 3 == 0
                    case 4: (row / 2 + column / 3) % 2 == 0
                    case 5: row * column % 2 + row * column % 3 == 0
                    case 6: (row * column % 2 + row * column % 3) % 2 == 0
                    default: ((row + column) % 2 + row * column % 3) % 2 == 0
                    }
                if flips { dark[row * size + column].toggle() }
            }
        }
    }

    /// The four features that make a code hard to read, weighted 3, 3, 40 and 10 (section 7.8.3).
    private func penalty() -> Int {
        var sum = 0
        for isColumn in [false, true] {
            for line in 0..<size {
                var run = 0, history = 0
                var last: Bool?
                for index in 0..<size {
                    let module = isColumn ? self[line, index] : self[index, line]
                    run = module == last ? run + 1 : 1
                    last = module
                    if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
                    history = (history << 1 | (module ? 1 : 0)) & 0x7FF
                    if index >= 10, history == 0b1011101_0000 || history == 0b0000_1011101 { sum += 40 }
                }
            }
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let module = self[column, row]
                if self[column + 1, row] == module, self[column, row + 1] == module, self[column + 1, row + 1] == module
                {
                    sum += 3
                }
            }
        }
        let share = dark.count { $0 } * 100 / (size * size)
        return sum + abs(share - 50) / 5 * 10
    }
}

/// How the bytes of one version and level are cut into blocks, each with its own error correction (section 7.5).
private struct Blocks {
    let version: Int
    /// Error-correction bytes of each block.
    let correction: Int
    /// Data bytes of each block.
    let lengths: [Int]

    init(version: Int, level: QRCode.Level) {
        self.version = version
        let low: [(Int, [Int])] = [
            (7, [19]), (10, [34]), (15, [55]), (20, [80]), (26, [108]), (18, [68, 68]), (20, [78, 78]), (24, [97, 97]),
            (30, [116, 116]), (18, [68, 68, 69, 69]),
        ]
        let medium: [(Int, [Int])] = [
            (10, [16]), (16, [28]), (26, [44]), (18, [32, 32]), (24, [43, 43]), (16, [27, 27, 27, 27]),
            (18, [31, 31, 31, 31]), (22, [38, 38, 39, 39]), (22, [36, 36, 36, 37, 37]), (26, [43, 43, 43, 43, 44]),
        ]
        (correction, lengths) = (level == .low ? low : medium)[version - 1]
    }

    /// Bytes of text that fit: mode and length take 12 bits, 20 from version 10 on.
    var capacity: Int { lengths.reduce(0, +) - (version < 10 ? 2 : 3) }

    func codewords(of text: [UInt8]) -> [UInt8] {
        // Mode 0100, the length, the text, 0000: shifted by half a byte throughout.
        var nibbles: [UInt8] = [4]
        if version >= 10 { nibbles += [UInt8(text.count >> 12), UInt8(text.count >> 8 & 15)] }
        nibbles += [UInt8(text.count >> 4 & 15), UInt8(text.count & 15)]
        for byte in text { nibbles += [byte >> 4, byte & 15] }
        nibbles.append(0)
        var data = stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        let total = lengths.reduce(0, +)
        for index in 0..<max(0, total - data.count) { data.append(index % 2 == 0 ? 0xEC : 0x11) }

        var start = 0
        let blocks = lengths.map { length in
            defer { start += length }
            return Array(data[start..<start + length])
        }
        let corrections = blocks.map(reedSolomon)
        var result: [UInt8] = []
        for index in 0..<(lengths.max() ?? 0) { result += blocks.filter { index < $0.count }.map { $0[index] } }
        for index in 0..<correction { result += corrections.map { $0[index] } }
        return result
    }

    /// The remainder of a division by the generator polynomial over GF(256) with 0x11D (section 7.5.2).
    private func reedSolomon(_ data: [UInt8]) -> [UInt8] {
        var generator: [UInt8] = Array(repeating: 0, count: correction - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<correction {
            for index in generator.indices {
                generator[index] = multiply(generator[index], root)
                if index + 1 < generator.count { generator[index] ^= generator[index + 1] }
            }
            root = multiply(root, 2)
        }
        var rest = [UInt8](repeating: 0, count: correction)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in rest.indices { rest[index] ^= multiply(generator[index], factor) }
        }
        return rest
    }

    private func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product = 0
        for bit in stride(from: 7, through: 0, by: -1) {
            product = product << 1 ^ (product >> 7) * 0x11D
            product ^= Int(right >> bit & 1) * Int(left)
        }
        return UInt8(product)
    }
}
