# sgdperf report: a page that two parsers read, which needs nothing from elsewhere, says what
# validate says, and shows names as they are; bad input.
. tests/cli.sh
has python3 || cli_report report

columns=dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s
file sync.csv <<END
$columns,steps,role
mine,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,10,fit
mine,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,10,
mine,k4,sync,4,1,,0.1,0.2,0.1,1e6,1e7,0,4,10,
other,k4,sync,4,2,,0.1,0.2,0.1,1e6,1e7,0,3,10,
END
# Two curves, one of a point, a row that lacks a cell, and black boxes alone. Few steps, so that
# replays are short.
file async.csv <<END
$columns,steps,role,group,jobs
a,x-k1,async,1,1,32,0.01,0.019,0.018,9e6,125e6,0,5.1,20,fit,,
a,x-k2,async,2,1,32,0.01,0.019,0.018,9e6,125e6,0,8.4,20,,,
a,x-k8,async,8,1,32,0.01,0.019,0.018,9e6,125e6,0,12,20,,,
a,y-k100,async,100,1,32,0.01,0.019,0.018,9e6,125e6,1,11,20,,,
none,n-k2,async,2,1,32,,0.019,0.018,9e6,125e6,0,8,20,,,
box,b-k1,allreduce,1,,32,,,,,,,10,,fit,g,
box,b-k2,allreduce,2,,32,,,,,,,19,,fit,g,
box,b-k4,allreduce,4,,32,,,,,,,35,,fit,g,
box,b-k8,allreduce,8,,32,,,,,,,60,,fit,g,
box,b-k16,allreduce,16,,32,,,,,,,90,,score,g,
END

# page.py PAGE RESULTS ROWS: one line for each thing that is wrong; the latter two are what
# validate prints of the same files as CSV.
file page.py <<'END'
import csv
import html.parser
import re
import sys
import xml.etree.ElementTree as tree

text = open(sys.argv[1], encoding="utf-8").read()
SVG, HTML = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xhtml}"


class Reader(html.parser.HTMLParser):
    """Opens and closes as the page is written: an element that HTML closes by itself differs."""
    def __init__(self):
        super().__init__()
        self.seen, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            print("closes what is not open:", tag)


reader = Reader()
reader.feed(text)
reader.close()
root = tree.fromstring(text)
names = [e.tag.split("}")[1] for e in root.iter()]
if reader.open or [n.lower() for n in names] != reader.seen:
    print("read as HTML it has other elements than as XML")
if set(names) & {"script", "link", "img", "image", "iframe", "object", "embed", "use", "base"}:
    print("has an element that brings in something")
for e in root.iter():
    for key, value in e.attrib.items():
        if key.startswith("on") or key in ("src", "srcset", "style") or \
                key not in ("content", "aria-label") and re.search(r"url\(|:", value):
            print("an attribute that does something:", key, value)
if re.search(r"url\(|@import|//", root.find(f"{HTML}head/{HTML}style").text):
    print("the style refers to something")
ids = [e.get("id") for e in root.iter() if e.get("id")]
if len(ids) != len(set(ids)):
    print("an id occurs twice")
for e in root.iter():
    if e.get("href") and e.get("href") not in {"#" + i for i in ids}:
        print("a link leads nowhere:", e.get("href"))
    for i in (e.get("aria-labelledby") or "").split():
        if i not in ids:
            print("no label:", i)
for picture in root.iter(SVG + "svg"):
    if picture.get("role") != "img" or not picture[0].text or not picture[1].text or \
            (picture[0].tag, picture[1].tag) != (SVG + "title", SVG + "desc"):
        print("a picture without words")
for table in root.iter(HTML + "table"):
    if table[0].tag != HTML + "caption" or not table[0].text:
        print("a table without a caption")
for part in root.iter(HTML + "div"):
    if part.get("class") == "wide" and (part.get("tabindex"), part.get("role")) != ("0", "group"):
        print("a table that no key scrolls")
for cell in root.iter(HTML + "th"):
    if cell.get("scope") not in ("row", "col"):
        print("a head without a scope")
if re.search(r"[^a-z](nan|inf)[^a-z]", text.lower()):
    print("a number that is none")


def whole(e):
    return "".join(e.itertext())


def numbers(line):
    return [d.get("value") for d in line.iter(HTML + "data")]


results, rows = {}, {}
for section in root.iter(HTML + "section"):
    name = whole(section.find(HTML + "h3"))
    tables = list(section.iter(HTML + "table"))
    for line in tables[0].find(HTML + "tbody"):
        results[name, whole(line[0])] = [whole(line[1])] + numbers(line)
    models = [whole(h) for h in tables[-1].find(HTML + "thead").iter(HTML + "th")][4:]
    for line in tables[-1].find(HTML + "tbody"):
        cells = [c.find(HTML + "data") for c in line]
        for model, cell in zip(models, cells[4:]):
            if cell is not None:
                rows[name, whole(line[0]), model] = cells[3].get("value"), cell.get("value")
want = {(r["dataset"], r["model"]): [r[k] for k in ("rows", "mean_error", "median_error",
                                                    "p95_error", "max_error", "bias")]
        for r in csv.DictReader(open(sys.argv[2], encoding="utf-8"))}
if results != want or not want:
    print("not the results of validate:", set(map(str, results.items())) ^
          set(map(str, want.items())))
want = {(r["dataset"], r["point"], r["model"]): (r["measured"], r["predicted"])
        for r in csv.DictReader(open(sys.argv[3], encoding="utf-8"))
        if r["model"] and (r["dataset"], r["model"]) in results}
if rows != want:
    print("not the rows of validate:", set(rows.items()) ^ set(want.items()))
END

# expect_page FILE...: the page of these datasets is right.
expect_page() {
    expect_status 0 report "$@" --out page.html
    "$program" validate "$@" --format csv > results.csv 2> .stderr
    "$program" validate "$@" --rows --format csv > rows.csv 2> .stderr
    wrong=$(python3 page.py page.html results.csv rows.csv 2>&1)
    holds "want a page of which nothing is wrong, but: $wrong" [ -z "$wrong" ]
}

# expect_in TEXT COUNT: so many lines of the page have it.
expect_in() {
    got=$(grep -cF -- "$1" page.html)
    holds "want $2 lines with $1, got $got" [ "$got" -eq "$2" ]
}

# ---- The page
expect_page sync.csv
expect_in 'aria-labelledby="t' 7       # key, lanes of two sets, two pictures a curve
expect_in '<details>' 4
expect_in '>staggered</text>' 4
expect_in 'fill="white" stroke="black"' 3 # the input, in the pictures of its curve, and the key
expect_in 'None of these rows is of a class' 0
expect_in '<tr class="mode"><th scope="row" colspan="8">sync</th></tr>' 1
[ -z "${TEST_FULL:-}" ] || expect_page async.csv
expect_page sync.csv async.csv
expect_in '<section ' 4
expect_in 'none; async.csv:6: column &#39;' 0
expect_in "none; async.csv:6: column 'forward_s': the cell is empty" 1
cp page.html first.html
expect_status 0 report sync.csv async.csv --out page.html --processes 1
holds 'want the same page, whatever the processes' cmp -s page.html first.html
expect_stdout 'datasets,models,rows,curves,not_predicted,out
4,*,7,5,1,page.html' report sync.csv async.csv --out page.html --format csv
expect_stdout '{"status":"ok","datasets":4,*"rows":7,"curves":5,"not_predicted":1,"out":"page.html"}' \
    report sync.csv async.csv --out page.html --format json
stdin=sync.csv
expect_stdout '*page.html' report - --out page.html
stdin=/dev/null
expect_in 'stdin' 3
if [ -n "${TEST_FULL:-}" ]; then       # every third of ours: each is predicted three times
    expect_page $(ls "$root"/validation/datasets/*.csv | awk 'NR % 3 == 1')
fi

# Black boxes alone have no class: a sentence, and no empty table.
{ head -n 1 async.csv; grep '^box' async.csv; } > box.csv
expect_status 0 report box.csv --out page.html
expect_in 'None of these rows is of a class' 1
expect_in '<caption>Classes of rows' 0

# ---- Names that mean something to HTML, and numbers near the ends of a double
file hostile.csv <<END
$columns,curve
"<script>alert(1)</script>","a""&<b>-k2",async,2,1,32,0.01,0.019,0.018,9e6,125e6,1,8.4,"</svg><img src=x>"
"<script>alert(1)</script>","a'b-k4",async,4,1,32,0.01,0.019,0.018,9e6,125e6,1,8.4e200,"</svg><img src=x>"
"<script>alert(1)</script>",c,async,4,1,32,0.01,0.019,0.018,9e6,125e6,1,8.4e-200,"</svg><img src=x>"
&amp;,--><!--,async,4,1,32,1e100,1e100,1e100,9e6,125e6,1,8.4e-305,]]>
"x"" onload=""y",d,async,4,1,32,1e-9,1e-9,1e-9,9,125e6,1,1.6e308,%s%n
END
expect_page hostile.csv
expect_in '&lt;/svg&gt;&lt;img src=x&gt;' 3
expect_in '<img' 0
cp hostile.csv 'a<b>&"c".csv'
expect_page 'a<b>&"c".csv'

# ---- Bad input: one line, and what was there stays
echo old > old.html
expect_error 'sgdperf: --out is missing' report sync.csv
expect_error "sgdperf: --out: '-' does not end in .html or .htm" report sync.csv --out -
expect_error "sgdperf: --out: 'm.pdf' does not end in .html or .htm" report sync.csv --out m.pdf
holds 'want nothing written' [ ! -e m.pdf ]
cp sync.csv in.html
expect_error '*--out: *in.html*' report in.html --out in.html
holds 'want the input as it was' cmp -s in.html sync.csv
expect_error '*missing.csv: *' report missing.csv --out old.html
expect_error "*--out: *no/page.html*" report sync.csv --out no/page.html
sed 's/sync,4,1,,0.1/sync,4,1,,-3/' sync.csv > bad.csv
expect_error "sgdperf: bad.csv:4: column 'forward_s': -3 is negative" report bad.csv --out old.html
sed '/^[bn]o/!{/^a/d;}; /^box/d' async.csv > bad.csv
expect_error "sgdperf: bad.csv:2: column 'forward_s': the cell is empty*" report bad.csv --out old.html
sed '/score/d; 2,6d' async.csv > bad.csv
expect_error 'sgdperf: bad.csv: no row is scored*' report bad.csv --out old.html
head -n 1 sync.csv > bad.csv
expect_error '*bad.csv*' report bad.csv --out old.html
expect_error 'sgdperf: --bounds: unknown option of report*' report sync.csv --bounds b.csv --out old.html
[ "$(cat old.html)" = old ] && [ -z "$(ls -A | grep '^.sgdperf-')" ]
check $? 'want the file as it was, and no other' report
cli_report report
