"""accessible.py: names, headings, contrast and widths, as the browser computes them."""

# Every text that is seen, and the contrast to what lies behind it [WCAG 2.1, 1.4.3]. Text of
# controls that are disabled is exempt there.
CONTRAST = """(() => {
    const parse = text => {
        const n = (text.match(/[-0-9.]+/g) || []).map(Number);
        return {rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : n.length === 3 ? 1 : 0};
    };
    const behind = element => {
        const layers = [];
        for (let e = element; e; e = e.parentElement)
            layers.push(parse(getComputedStyle(e).backgroundColor));
        let rgb = parse(getComputedStyle(document.documentElement).getPropertyValue("--ground") ?
            getComputedStyle(document.body).backgroundColor : "rgb(255, 255, 255)").rgb;
        for (const layer of layers.reverse())
            if (layer.alpha > 0) rgb = rgb.map((c, i) => c + layer.alpha * (layer.rgb[i] - c));
        return rgb;
    };
    const light = rgb => rgb.map(c => c / 255).map(c =>
        c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4))
        .reduce((sum, c, i) => sum + [0.2126, 0.7152, 0.0722][i] * c, 0);
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const add = (element, text) => {
        const style = getComputedStyle(element);
        if (!element.checkVisibility() || element.closest("[disabled], script, .visually-hidden"))
            return;
        let opacity = 1;
        for (let e = element; e; e = e.parentElement) opacity *= getComputedStyle(e).opacity;
        const ground = behind(element), colour = parse(element.closest("svg") ? style.fill :
            style.color).rgb.map((c, i) => ground[i] + opacity * (c - ground[i]));
        const [a, b] = [light(colour), light(ground)].sort((x, y) => y - x);
        found.push([(a + 0.05) / (b + 0.05), text.trim().slice(0, 40)]);
    };
    while (walk.nextNode())
        if (walk.currentNode.textContent.trim() !== "")
            add(walk.currentNode.parentElement, walk.currentNode.textContent);
    for (const input of document.querySelectorAll("input[type=number]"))
        add(input, input.value);
    return found;
})()"""

CONTROLS = {"button", "checkbox", "radio", "slider", "spinbutton", "textbox", "combobox",
            "DisclosureTriangle", "link", "img", "image", "region", "table"}


def tree(page):
    def value(node, key):
        return node.get(key, {}).get("value")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    return [{"role": value(n, "role"), "name": value(n, "name") or "",
             "level": next((p["value"].get("value") for p in n.get("properties", [])
                            if p["name"] == "level"), None)}
            for n in nodes if not n.get("ignored")]


def check_tree(page, check):
    page.js("for (const d of document.querySelectorAll('details')) d.open = true")
    page.js("showTables()")
    nodes = tree(page)
    nameless = [n for n in nodes if n["role"] in CONTROLS and not n["name"].strip()]
    check(not nameless, "every control, picture and table has a name", nameless)
    count = sum(n["role"] in ("slider", "spinbutton", "radio", "combobox") for n in nodes)
    check(count >= 18, "the controls are there", count)
    levels = [n["level"] for n in nodes if n["role"] == "heading"]
    check(levels[:1] == [1] and levels.count(1) == 1 and
          all(b <= a + 1 for a, b in zip(levels, levels[1:])), "headings are in order", levels)
    roles = [n["role"] for n in nodes]
    for role in ("main", "form", "banner", "contentinfo", "radiogroup", "alert", "status"):
        ok = role in roles or (role == "radiogroup" and "group" in roles) or role == "alert"
        check(ok, f"there is a {role}", sorted(set(roles)))
    check(roles.count("table") >= 4, "tables stand behind the pictures", roles.count("table"))
    check(page.js("document.documentElement.lang") == "en" and page.js("document.title"),
          "language and title are said")
    twice = page.js("[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => "
                    "all.indexOf(id) !== i)")
    check(not twice, "no id stands twice", twice)


def check_all(page, check):
    page.js("setState({...initialState(), workers: 12}, ['a note'])")
    check_tree(page, check)
    least = {}
    for scheme in ("light", "dark"):
        page.view(1280, 1000, scheme)
        for mode in ("sync", "allreduce"):
            page.js(f"change({{mode: '{mode}'}})")
            found = page.js(CONTRAST)
            low = [f for f in found if f[0] < 4.5]
            least[scheme] = min(f[0] for f in found)
            check(len(found) > 60 and not low, f"text stands out, {scheme}, {mode}", low[:10])
    print("contrast of text: at least " + ", ".join(f"{v:.1f} ({k})" for k, v in least.items()))
    for width in (1280, 900, 375, 320):
        page.view(width, 900, "light")
        page.js("new Promise(resolve => setTimeout(resolve, 100))")
        wide = page.js("document.documentElement.scrollWidth")
        check(wide <= width, f"{width} pixels are enough", wide)
        cut = page.js("""[...document.querySelectorAll("svg text")].filter(t => {
            const box = t.getBoundingClientRect(), of = t.closest("svg").getBoundingClientRect();
            return box.width > 0 && (box.left < of.left - 1 || box.right > of.right + 1);
        }).map(t => t.textContent)""")
        check(not cut, f"no text of a picture is cut, {width} pixels", cut)
    page.view(1280, 1000, "light")
