"""Checks the plain language of the documentation and of comments, as far as a program can:
plain_language.py SOURCE_DIR [FILE ...]

Lines and paragraphs are short, and words and openings that readers stumble over do not occur. A line can be exempt: see
EXEMPT.
"""

import re
import sys
from pathlib import Path

LONGEST_LINE = 160  # characters, outside tables and code
LONGEST_PARAGRAPH = 110  # words

# Words for people, said of grains; elliptic openings; idioms of other languages.
BANNED = [
    (re.compile(r"\b(nobody|whoever|whom)\b", re.I), "write 'no body', 'the body which'"),
    (re.compile(r"\b(bod(y|ies)|grains?|walls?|contacts?|spheres?|balls?|those|neighbours?|everything) who\b", re.I),
     "things are 'which' or 'that'"),
    (re.compile(r"\bis what it came to\b|\bcome less gone\b|\bbut for the\b|\bno matter\b", re.I), "write it out"),
    (re.compile(r"\b(is|are) told apart\b", re.I), "write 'distinguished'"),
    (re.compile(r"\bLet those\b", re.I), "use the imperative"),
]
OPENINGS = re.compile(r"^(?:[-*] |\d+\. )?(?:Of (?!course)|What [^?]*$)")
COMMENT_OPENINGS = re.compile(r"^\s*(?:///?|#)\s*(?:Of|What) [a-z][^?]*$")
EXEMPT = {
    "tests/data/fclib/README.md",  # of the collection
}


def files(root, folders, endings):
    found = [path for folder in folders for path in (root / folder).rglob("*") if path.suffix in endings]
    return sorted(name for path in found if (name := str(path.relative_to(root))) not in EXEMPT)


def prose(text):
    """(number of its first line, paragraph) for each paragraph outside tables and code."""
    number, paragraph, start, fenced = 0, [], 0, False
    found = []

    def end():
        if paragraph:
            found.append((start, "\n".join(paragraph)))
        paragraph.clear()

    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            end()
            continue
        if fenced or line.startswith(("|", "    ", "<")) or not line.strip():
            end()
            continue
        if re.match(r"\s*(?:[-*] |\d+\. |#)", line):
            end()
        if not paragraph:
            start = number
        paragraph.append(line)
    end()
    return found


def findings_of_page(text):
    for start, paragraph in prose(text):
        words = len(paragraph.split())
        if words > LONGEST_PARAGRAPH:
            yield start, f"a paragraph of {words} words; at most {LONGEST_PARAGRAPH}"
        if OPENINGS.match(paragraph):
            yield start, "a sentence that opens with 'Of' or 'What'"
        for offset, line in enumerate(paragraph.split("\n")):
            if len(line) > LONGEST_LINE:
                yield start + offset, f"a line of {len(line)} characters; at most {LONGEST_LINE}"
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not fenced:
            yield from banned(number, line)


def banned(number, line):
    for pattern, advice in BANNED:
        if match := pattern.search(line):
            yield number, f"'{match[0]}': {advice}"


def findings_of_code(text):
    for number, line in enumerate(text.split("\n"), 1):
        if COMMENT_OPENINGS.match(line):
            yield number, "a comment that opens with 'Of' or 'What'"
        comment = re.search(r"(?://|^\s*#)(.*)", line)
        if comment:
            yield from banned(number, comment[1])


def main():
    root = Path(sys.argv[1])
    pages = sys.argv[2:] or [path.name for path in sorted(root.glob("*.md"))] + files(
        root, ["docs", "changes", "scenes", "benchmarks", "tests"], {".md"})
    code = [] if sys.argv[2:] else files(root, ["engine", "io", "tools", "tests/support", "scenes"],
                                         {".h", ".cpp", ".toml"})
    count = 0
    for names, findings in ((pages, findings_of_page), (code, findings_of_code)):
        for name in names:
            for number, finding in findings((root / name).read_text()):
                print(f"{name}:{number}: {finding}")
                count += 1
    print(f"{len(pages)} pages and {len(code)} files of code: {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
