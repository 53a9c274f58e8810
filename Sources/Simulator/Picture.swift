// Small pictures for the demonstration, drawn here and written as PNG (ISO/IEC 15948) without compression.

/// A picture of up to 16 colours.
struct Picture {
    let width: Int
    let height: Int
    private let palette: [UInt32]
    private var pixels: [UInt8]

    /// - Parameter palette: colours as 0xRRGGBB, at most 16; the first one fills the picture.
    init(width: Int, height: Int, palette: [UInt32]) {
        precondition(palette.count <= 16, "a picture has at most 16 colours")
        self.width = width
        self.height = height
        self.palette = palette
        pixels = [UInt8](repeating: 0, count: width * height)
    }

    /// Fills a rectangle, as far as it lies inside.
    mutating func fill(_ x: Int, _ y: Int, _ wide: Int, _ high: Int, _ colour: UInt8) {
        for row in max(0, y)..<max(0, min(height, y + high)) where x < width {
            for column in max(0, x)..<max(0, min(width, x + wide)) { pixels[row * width + column] = colour }
        }
    }

    /// Fills a rectangle with round corners.
    mutating func card(_ x: Int, _ y: Int, _ wide: Int, _ high: Int, radius: Int, _ colour: UInt8) {
        for row in 0..<high {
            let fromEdge = min(row, high - 1 - row)
            var inset = 0
            if fromEdge < radius {
                let rise = radius - fromEdge
                while (radius - inset) * (radius - inset) + rise * rise > radius * radius, inset < radius { inset += 1 }
            }
            fill(x + inset, y + row, wide - 2 * inset, 1, colour)
        }
    }

    /// Draws a line three pixels thick.
    mutating func line(from: (x: Int, y: Int), to: (x: Int, y: Int), _ colour: UInt8) {
        let steps = max(abs(to.x - from.x), abs(to.y - from.y), 1)
        for step in 0...steps {
            let x = from.x + (to.x - from.x) * step / steps
            let y = from.y + (to.y - from.y) * step / steps
            fill(x - 1, y - 1, 3, 3, colour)
        }
    }

    /// The picture as a PNG file.
    func png() -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Four bits a pixel, indexed colours.
        chunk("IHDR", number(width) + number(height) + [4, 3, 0, 0, 0], into: &file)
        chunk("PLTE", palette.flatMap { [UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }, into: &file)
        var rows: [UInt8] = []
        for row in 0..<height {
            rows.append(0)
            for column in stride(from: 0, to: width, by: 2) {
                let place = row * width + column
                rows.append(pixels[place] << 4 | (column + 1 < width ? pixels[place + 1] : 0))
            }
        }
        chunk("IDAT", stored(rows), into: &file)
        chunk("IEND", [], into: &file)
        return file
    }

    /// A zlib stream (RFC 1950) of stored blocks.
    private func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let count = min(65_535, bytes.count - start)
            stream.append(start + count == bytes.count ? 1 : 0)
            stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
            stream += bytes[start..<start + count]
            start += count
        } while start < bytes.count
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + number(high << 16 | low)
    }

    private func chunk(_ type: String, _ data: [UInt8], into file: inout [UInt8]) {
        let content = Array(type.utf8) + data
        file += number(data.count) + content
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in content {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        file += number(Int(~sum))
    }

    private func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
