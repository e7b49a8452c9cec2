# flat.awk - JSON to lines "path TAB value", for tests in shell; strings have no escapes.
#     awk -f tests/flat.awk tests/golden/sched.json
# prints, among others, "throughput.NiN.X_hybrid.0 TAB 0.16858860881475624".
function path(   i, text)
{
    for (i = 1; i < depth; i++) text = text key[i] "."
    return text key[depth]
}
function token(text, is_string)
{
    if (!is_string && (text == "{" || text == "[")) {
        kind[++depth] = text
        key[depth] = text == "[" ? 0 : ""
        named[depth] = text == "["
    } else if (!is_string && (text == "}" || text == "]")) {
        depth--
    } else if (!is_string && text == ",") {
        if (kind[depth] == "[") key[depth]++
        else named[depth] = 0
    } else if (!is_string && text == ":") {
        named[depth] = 1
    } else if (!named[depth]) {
        key[depth] = text
    } else {
        print path() "\t" text
    }
}
{ json = json $0 " " }
END {
    parts = split(json, part, "\"")
    for (i = 1; i <= parts; i++) {
        if (i % 2 == 0) { token(part[i], 1); continue }
        gsub(/[][{},:]/, " & ", part[i])
        words = split(part[i], word, " ")
        for (k = 1; k <= words; k++) token(word[k], 0)
    }
}
