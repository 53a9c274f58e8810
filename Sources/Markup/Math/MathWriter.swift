// Writes a formula's tree as MathML Core: only elements and attributes that browsers draw by themselves, no styles.

struct MathWriter: ~Copyable {
    var output: ByteBuffer

    init(capacity: Int) { output = ByteBuffer(capacity: capacity) }

    mutating func write(_ nodes: [MathNode]) { for node in nodes { write(node) } }

    /// As one element: where MathML counts its children.
    mutating func writeOne(_ node: MathNode) {
        switch node {
        case .row(let nodes) where nodes.count == 1: writeOne(nodes[0])
        case .row(let nodes): wrapped("mrow", nodes)
        default: write(node)
        }
    }

    private mutating func writeOne(_ nodes: [MathNode]) { writeOne(.row(nodes)) }

    private mutating func wrapped(_ name: StaticString, _ nodes: [MathNode]) {
        open(name)
        write(nodes)
        close(name)
    }

    private mutating func open(_ name: StaticString) {
        output.append("<")
        output.append(name)
        output.append(">")
    }

    private mutating func close(_ name: StaticString) {
        output.append("</")
        output.append(name)
        output.append(">")
    }

    private mutating func token(_ start: StaticString, _ text: String, _ name: StaticString) {
        output.append(start)
        output.appendEscaped(Array(text.utf8))
        close(name)
    }

    private mutating func write(_ node: MathNode) {
        switch node {
        case .row(let nodes): wrapped("mrow", nodes)
        case .identifier(let name, let isUpright):
            let isLetter = name.unicodeScalars.count == 1
            token(isLetter && isUpright ? "<mi mathvariant=\"normal\">" : "<mi>", name, "mi")
        case .number(let digits): token("<mn>", digits, "mn")
        case .symbol(let text, let form): writeSymbol(text, form)
        case .text(let text, let variant): writeText(text, variant)
        case .unknown(let source): token("<mtext class=\"md-math-unknown\">", source, "mtext")
        case .space(let width):
            output.append("<mspace width=\"")
            output.append(string: width)
            output.append("\"></mspace>")
        case .fraction(let above, let below, let form): writeFraction(above, below, form)
        case .root(let base, let index):
            if let index {
                output.append("<mroot>")
                writeOne(base)
                writeOne(index)
                output.append("</mroot>")
            } else {
                output.append("<msqrt>")
                writeOne(base)
                output.append("</msqrt>")
            }
        case .scripts(let scripts): writeScripts(scripts)
        case .stack(let base, let over, let under, let isAccent): writeStack(base, over, under, isAccent)
        case .fenced(let opening, let content, let closing):
            output.append("<mrow>")
            writeFence(opening, "prefix")
            write(content)
            writeFence(closing, "postfix")
            output.append("</mrow>")
        case .table(let table): writeTable(table)
        case .styled(let node, let isDisplay):
            output.append(isDisplay ? "<mstyle displaystyle=\"true\">" : "<mstyle displaystyle=\"false\">")
            writeOne(node)
            output.append("</mstyle>")
        case .marked(let node, let name):
            output.append("<mrow class=\"")
            output.append(name)
            output.append("\">")
            writeOne(node)
            output.append("</mrow>")
        case .phantom(let node):
            output.append("<mphantom>")
            writeOne(node)
            output.append("</mphantom>")
        }
    }

    private mutating func writeSymbol(_ text: String, _ form: MathOperatorForm) {
        switch form {
        case .plain: token("<mo>", text, "mo")
        case .fence: token("<mo stretchy=\"false\">", text, "mo")
        case .large: token("<mo>", text, "mo")
        case .stretchy: token("<mo stretchy=\"true\">", text, "mo")
        case .named: token("<mo movablelimits=\"true\" lspace=\"0\" rspace=\"0.167em\">", text, "mo")
        case .sized(let size):
            guard !text.isEmpty else { return }
            output.append("<mo stretchy=\"true\" minsize=\"")
            output.append(string: size)
            output.append("\" maxsize=\"")
            output.append(string: size)
            token("\">", text, "mo")
        }
    }

    private mutating func writeFence(_ mark: String, _ form: StaticString) {
        guard !mark.isEmpty else { return }
        output.append("<mo stretchy=\"true\" fence=\"true\" form=\"")
        output.append(form)
        token("\">", mark, "mo")
    }

    private mutating func writeText(_ text: String, _ variant: MathVariant) {
        var mapped = ""
        for scalar in text.unicodeScalars {
            // Spaces at the ends of mtext would be dropped.
            mapped.unicodeScalars.append(
                scalar == " " ? "\u{A0}" : variant == .upright || variant == .italic ? scalar : variant.mapped(scalar)
            )
        }
        token(variant == .italic ? "<mtext class=\"tex-italic\">" : "<mtext>", mapped, "mtext")
    }

    private mutating func writeFraction(_ above: MathNode, _ below: MathNode, _ form: MathFractionForm) {
        switch form {
        case .plain, .binomial: output.append("<mfrac>")
        case .display: output.append("<mfrac displaystyle=\"true\">")
        case .text: output.append("<mfrac displaystyle=\"false\">")
        case .noLine: output.append("<mfrac linethickness=\"0\">")
        }
        writeOne(above)
        writeOne(below)
        output.append("</mfrac>")
    }

    private mutating func writeScripts(_ scripts: MathScripts) {
        let name: StaticString
        switch (scripts.sub != nil, scripts.sup != nil, scripts.hasLimits) {
        case (true, true, true): name = "munderover"
        case (true, false, true): name = "munder"
        case (false, _, true): name = "mover"
        case (true, true, false): name = "msubsup"
        case (true, false, false): name = "msub"
        case (false, _, false): name = "msup"
        }
        open(name)
        writeOne(scripts.base)
        if let sub = scripts.sub { writeOne(sub) }
        if let sup = scripts.sup { writeOne(sup) }
        close(name)
    }

    private mutating func writeStack(_ base: MathNode, _ over: MathNode?, _ under: MathNode?, _ isAccent: Bool) {
        let name: StaticString
        switch (over != nil, under != nil) {
        case (true, true): name = "munderover"
        case (false, true): name = "munder"
        case (_, false): name = "mover"
        }
        output.append("<")
        output.append(name)
        if isAccent { output.append(over != nil ? " accent=\"true\"" : " accentunder=\"true\"") }
        output.append(">")
        writeOne(base)
        if let under { writeOne(under) }
        if let over { writeOne(over) } else if under == nil { output.append("<mrow></mrow>") }
        close(name)
    }

    private mutating func writeTable(_ table: MathTable) {
        switch table.form {
        case .matrix: output.append("<mtable>")
        case .aligned: output.append("<mtable class=\"tex-aligned\" displaystyle=\"true\">")
        case .cases: output.append("<mtable class=\"tex-cases\">")
        case .small: output.append("<mtable class=\"tex-small\">")
        }
        for row in table.rows {
            output.append("<mtr>")
            for (column, cell) in row.enumerated() {
                let alignments = table.alignments
                let index = table.form == .aligned ? column % alignments.count : min(column, alignments.count - 1)
                switch alignments[index] {
                case .center: output.append("<mtd>")
                case .left: output.append("<mtd class=\"tex-left\">")
                case .right: output.append("<mtd class=\"tex-right\">")
                }
                if case .row(let nodes) = cell { write(nodes) } else { write(cell) }
                output.append("</mtd>")
            }
            output.append("</mtr>")
        }
        output.append("</mtable>")
    }
}
