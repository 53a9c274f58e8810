#!/usr/bin/env python3
"""How far our highlighter and a reference agree on the class of each non-blank character.

References: tree-sitter with the highlight queries of its PyPI wheels (python javascript typescript tsx rust go c cpp java bash
json css html), Pygments for every other language. Both speak richer or poorer vocabularies than ours, so tokens are folded
into a few classes first; FOLDS and the comments in this file say what counts as the same and why.

  highlight_agreement.py --tool 'wheelhouse' --sources DIR [--languages a,b] [--limit BYTES] [--confusion N] [--show CLASS,CLASS]

DIR holds <language>/ folders or <language>.txt files (form feeds between sources), as bench/highlight/gather.py makes them.
Needs: pip install pygments tree-sitter tree-sitter-{python,javascript,typescript,rust,go,c,cpp,java,bash,json,css,html}
"""
import argparse
import collections
import importlib
import os
import shlex
import subprocess
import sys

TREE_SITTER = "python javascript typescript tsx rust go c cpp java bash json css html".split()

# Our kinds -> compared classes. "other" is everything a reader does not see as one of the six: names, operators, signs.
OURS = {
    "keyword": "keyword", "string": "string", "escape": "string", "regexp": "string", "comment": "comment", "number": "number",
    "type": "type", "function": "function", "tag": "tag", "attribute": "attribute", "meta": "keyword",
}
THEIRS = {
    "keyword": "keyword", "string": "string", "escape": "string", "comment": "comment", "number": "number", "float": "number",
    "type": "type", "constructor": "type", "function": "function", "tag": "tag", "attribute": "attribute",
}


def fold_theirs(capture):
    if capture.startswith("operator"):
        return "sign"
    if capture == "string.special.key":     # a JSON key: a property for us
        return "other"
    return THEIRS.get(capture.split(".")[0], "other")


# Per language: (capture, node type) whose capture is a quirk of the query, not an opinion about the token.
QUIRKS = {
    ("rust", "integer_literal"): "number", ("rust", "float_literal"): "number",
    ("c", "char_literal"): "string", ("cpp", "char_literal"): "string",
    ("css", "unit"): "number", ("css", "color_value"): "number",
    ("html", "doctype"): "keyword",
}


# Queries written for the older rule: among patterns for one node the first counts, not the last.
FIRST_WINS = {"go", "rust"}


class TreeSitter:
    def __init__(self, language):
        import tree_sitter
        package = "typescript" if language == "tsx" else language
        module = importlib.import_module("tree_sitter_" + package)
        make = getattr(module, "language", None) or getattr(module, "language_" + language)
        self.language = tree_sitter.Language(make())
        self.name = language
        self.parser = tree_sitter.Parser(self.language)
        texts = []
        # TypeScript's query only adds to JavaScript's, C++'s to C's; JSX has one of its own.
        for grammar, file in {
            "typescript": [("javascript", "highlights.scm"), ("typescript", "highlights.scm")],
            "tsx": [("javascript", "highlights.scm"), ("javascript", "highlights-jsx.scm"), ("typescript", "highlights.scm")],
            "javascript": [("javascript", "highlights.scm"), ("javascript", "highlights-jsx.scm")],
            "cpp": [("c", "highlights.scm"), ("cpp", "highlights.scm")],
        }.get(language, [(package, "highlights.scm")]):
            folder = os.path.join(os.path.dirname(importlib.import_module("tree_sitter_" + grammar).__file__), "queries")
            texts.append(open(os.path.join(folder, file)).read())
        # A stray quote in Rust's query keeps its rule for ALL_CAPS constants from ever matching.
        self.query = tree_sitter.Query(self.language, "\n".join(texts).replace("+$'\"", "+$\""))
        self.cursor = tree_sitter.QueryCursor(self.query)

    def classes(self, source):
        """One class per byte. The innermost captured node counts, among equals the later pattern."""
        tree = self.parser.parse(source)
        spans = []
        for pattern, captures in self.cursor.matches(tree.root_node):
            for name, nodes in captures.items():
                for node in nodes if isinstance(nodes, list) else [nodes]:
                    if name == "embedded":
                        continue
                    rank = -pattern if self.name in FIRST_WINS else pattern
                    if name.split(".")[0] in ("variable", "property"):
                        rank -= 10_000          # what any name is; every other capture says more
                    if name == "string.special.key":
                        rank += 10_000          # a key is more than a string
                    spans.append((node.start_byte, -node.end_byte, rank, self.fold(name, node)))
        spans.sort(key=lambda s: s[:3])
        marks = [None] * len(source)
        for start, end, _, kind in spans:
            marks[start:-end] = [kind] * (-end - start)
        # The grammar's own words (anonymous, alphabetic tokens) are keywords even where the query forgets or calls
        # them operators: goto, instanceof, and, in. Broken code (ERROR nodes) is not compared.
        stack = [tree.root_node]
        while stack:
            node = stack.pop()
            # raw_text: scripts in HTML, for another grammar; preproc_arg: macro bodies, which the C grammar leaves unlexed
            if node.type in ("ERROR", "raw_text", "preproc_arg") or node.is_missing:
                marks[node.start_byte:node.end_byte] = ["skip"] * (node.end_byte - node.start_byte)
                continue
            if node.type == "identifier" and node.parent and node.parent.type == "token_tree":
                # arguments of a Rust macro: names that the grammar leaves without a role
                marks[node.start_byte:node.end_byte] = ["skip"] * (node.end_byte - node.start_byte)
            if not node.is_named and node.type.replace("_", "").isalpha() and self.name != "bash" and marks[node.start_byte] in (None, "sign"):
                marks[node.start_byte:node.end_byte] = ["keyword"] * (node.end_byte - node.start_byte)
            stack.extend(node.children)
        return ["other" if m in (None, "sign") else m for m in marks]

    def fold(self, capture, node):
        return QUIRKS.get((self.name, node.type)) or fold_theirs(capture)


class Pygments:
    def __init__(self, language):
        from pygments.lexers import get_lexer_by_name
        names = {"tex": "latex", "shell": "bash", "terraform": "hcl", "objectivec": "objective-c", "gomod": "text"}
        self.name = language
        self.lexer = get_lexer_by_name(names.get(language, language), stripnl=False, ensurenl=False)

    def classes(self, source):
        from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String
        text = source.decode("utf-8", "replace")
        marks = []
        for kind, value in self.lexer.get_tokens(text):
            if kind in Comment.Preproc or kind in Comment.PreprocFile:
                fold = "directive"      # also what follows Perl's __END__
            elif self.name == "cmake" and kind is String:
                fold = "name"           # unquoted arguments
            elif self.name == "cmake" and kind in Name.Builtin:
                fold = "word"           # if() and endif() are commands like any other for Pygments
            elif self.name == "yaml" and kind in Name.Constant:
                fold = "string"         # block scalars
            elif kind in Comment:
                fold = "comment"
            elif kind in Keyword.Constant or kind in Keyword.Pseudo:
                fold = "name"
            elif kind in Keyword or kind in Operator.Word:
                fold = "word"
            elif kind in String or kind in Literal.Date or kind in Literal.Scalar:
                fold = "string"
            elif kind in Number:
                fold = "number"
            elif kind in Generic:
                fold = "skip"
            else:
                fold = "name"       # Pygments rarely tells calls and types from other names: all names are one class
            marks += [fold] * len(value.encode())
        return marks


def ours(tool, language, source):
    run = subprocess.run(tool + ["highlight", "--language", language, "--tokens"], input=source, stdout=subprocess.PIPE, check=True)
    marks = ["other"] * len(source)
    kinds = [None] * len(source)
    for line in run.stdout.decode().splitlines():
        offset, length, kind = line.split("\t")
        offset, length = int(offset), int(length)
        marks[offset:offset + length] = [OURS.get(kind, "other")] * length
        kinds[offset:offset + length] = [kind] * length
    return marks, kinds


def agree(mine, theirs, kind):
    """Whether two folded classes say the same; `kind` is our own, unfolded."""
    if mine == theirs:
        return True
    if theirs == "name":
        return mine in ("other", "function", "type", "tag", "attribute") or kind in ("meta",)
    if theirs == "directive":
        return mine in ("keyword", "comment") or kind in ("meta", "heading")
    if theirs == "word":            # Pygments calls built-in types and functions keywords, and operators words
        return mine in ("keyword", "type") or kind in ("constant", "tag", "function", "variable")
    if theirs == "string":          # keys, symbols and link targets
        return kind in ("property", "constant", "link", "variable")
    return False


def sources(folder, language):
    text = os.path.join(folder, language + ".txt")
    if os.path.exists(text):
        yield from open(text, "rb").read().split(b"\f\n")
    for base, _, names in sorted(os.walk(os.path.join(folder, language))):
        for name in sorted(names):
            yield open(os.path.join(base, name), "rb").read()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", default="wheelhouse")
    p.add_argument("--sources", required=True)
    p.add_argument("--languages")
    p.add_argument("--limit", type=int, default=300_000, help="bytes per language")
    p.add_argument("--confusion", type=int, default=4, help="the N largest disagreements per language")
    p.add_argument("--show", help="OURS,THEIRS: print examples of this disagreement")
    p.add_argument("--reference", choices=["tree-sitter", "pygments"])
    opt = p.parse_args()
    tool = shlex.split(opt.tool)
    found = sorted({os.path.splitext(n)[0] for n in os.listdir(opt.sources)})
    worst = 100.0
    for language in opt.languages.split(",") if opt.languages else found:
        isTree = language in TREE_SITTER and opt.reference != "pygments"
        reference = TreeSitter(language) if isTree else Pygments(language)
        table, size, shown = collections.Counter(), 0, 0
        for source in sources(opt.sources, language):
            if size >= opt.limit:
                break
            if b"\r" in source or b"\0" in source:
                continue
            size += len(source)
            mine, kinds = ours(tool, language, source)
            theirs = reference.classes(source)
            if len(theirs) != len(source):
                continue
            for index, byte in enumerate(source):
                if byte in b" \t\n" or theirs[index] == "skip":
                    continue
                a, b = mine[index], theirs[index]
                if agree(a, b, kinds[index]):
                    table[(b, b)] += 1
                    continue
                table[(a, b)] += 1
                if opt.show and f"{a},{b}" == opt.show and shown < 40 and (index == 0 or (mine[index - 1], theirs[index - 1]) != (a, b)):
                    shown += 1
                    line = source[source.rfind(b"\n", 0, index) + 1:]
                    print("   ", line.split(b"\n")[0].decode("utf-8", "replace")[:110], " @", source[index:index + 16])
        total = sum(table.values()) or 1
        same = sum(n for (a, b), n in table.items() if a == b)
        worst = min(worst, 100 * same / total)
        apart = ", ".join(f"{a}/{b} {100 * n / total:.2f}" for (a, b), n in sorted(table.items(), key=lambda i: -i[1]) if a != b and n * 2000 > total)
        apart = ", ".join(apart.split(", ")[:opt.confusion])
        print(f"{language:12} {'tree-sitter' if isTree else 'pygments':11} {100 * same / total:6.2f} %  of {total:8} characters   ours/theirs in %: {apart}", flush=True)
    return 0 if worst >= 95 else 1


if __name__ == "__main__":
    sys.exit(main())
