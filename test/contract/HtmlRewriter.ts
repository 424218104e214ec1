/**
 * The contract of `core/ports/HtmlRewriter`: only links and the end of the body change.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { HtmlRewriter, maxBareHtml, maxLinkText } from "../../core/ports/HtmlRewriter.ts"

const links: ReadonlyArray<readonly [html: string, urls: ReadonlyArray<string>]> = [
  [`<a href="https://a.example/p?a=1&amp;b=2#f">x</a>`, ["https://a.example/p?a=1&b=2#f"]],
  [`<a href="https://a.example/?a=1&b=2&copy=3">x</a>`, ["https://a.example/?a=1&b=2&copy=3"]],
  [`<A CLASS=x HREF = 'http://a.example/&#x2F;q'>x</A>`, ["http://a.example//q"]],
  [`<a href=https://a.example/x>x</a>`, ["https://a.example/x"]],
  [`<map><area href="https://a.example/" alt></map>`, ["https://a.example/"]],
  [`<a href=" \n https://a.example/a\nb ">x</a>`, ["https://a.example/ab"]],
  [`<a href="https://bücher.example/ü?q=ü">x</a>`, ["https://xn--bcher-kva.example/%C3%BC?q=%C3%BC"]],
  [`<a href="HTTPS://A.example">x</a>`, ["https://a.example/"]],
  [`<a href="https://a.example/1" href="https://a.example/2">x</a>`, ["https://a.example/1"]],
  [`<a href="https://a.example/" data-no-track>x</a>`, []],
  [`<a DATA-NO-TRACK="" href="https://a.example/">x</a>`, []],
  [`<a href="mailto:a@b.example">x</a><a href="tel:1">x</a><a href="#x">x</a><a href="/x">x</a>`, []],
  [`<a href="javascript:alert(1)">x</a><a href="cid:x">x</a><a href="https://">x</a><a href>x</a>`, []],
  [`<link href="https://a.example/x.css"><img src="https://a.example/x.png">`, []],
  [`<!-- <a href="https://a.example/">x</a> --><style><a href="https://a.example/"></style>`, []],
  [`<script>"<a href='https://a.example/'>"</script><title><a href="https://a.example/"></title>`, []],
  [`<p title="<a href='https://a.example/'>">x</p>`, []],
  [`<a href="https://a.example/`, []],
  [`<abbr href="https://a.example/">x</abbr>`, []]
]

const bodies: ReadonlyArray<readonly [html: string, rewritten: string]> = [
  ["<html><body><p>x</p></body></html>", "<html><body><p>x</p>|</body></html>"],
  ["<body>x</BODY >\n", "<body>x|</BODY >\n"],
  ["<html>x</html>", "<html>x|</html>"],
  ["<p>x", "<p>x|"],
  ["", "|"],
  ["<body>x<!-- </body> --></body>", "<body>x<!-- </body> -->|</body>"],
  ["<body>1</body>2</body>", "<body>1</body>2|</body>"]
]

/** HTML fragments, which lack parts of a document, and the strings that surround the inserted rules. */
const fragments: ReadonlyArray<readonly [html: string, start: string, end: string]> = [
  ["<p>x</p>", '<!doctype html>\n<html lang="pt-BR">\n<head>', "<body>\n<p>x</p>\n</body>\n</html>\n"],
  ["", "<!doctype html>", "<body>\n\n</body>\n</html>\n"],
  ["<header>x</header>", "<!doctype html>", "<body>\n<header>x</header>\n</body>\n</html>\n"],
  [
    "<!-- c --><style>p{}</style>",
    "<!doctype html>",
    "<body>\n<!-- c --><style>p{}</style>\n</body>\n</html>\n"
  ],
  ["<!-- open", "<!doctype html>", "<body>\n<!-- open\n</body>\n</html>\n"],
  [
    "<!DOCTYPE html PUBLIC 'x'><p>x",
    "<!DOCTYPE html PUBLIC 'x'>\n<html lang=",
    "<body>\n<p>x\n</body>\n</html>\n"
  ],
  ["<BODY class=a>x</BODY>", "<!doctype html>", "</head>\n<BODY class=a>x</BODY>\n</html>\n"]
]

/** HTML and its text. */
const texts: ReadonlyArray<readonly [html: string, text: string | null]> = [
  ["<h1>Hi &amp; hello</h1><p>One<br>two</p>", "Hi & hello\n\nOne\ntwo"],
  ['<p>See <a href="https://a.example/?a&amp;b">the page</a>.</p>', "See the page: https://a.example/?a&b."],
  ['<a href="https://a.example/">https://a.example/</a>', "https://a.example/"],
  ['<a href="mailto:a@b.example">a@b.example</a> <a href="#top">up</a>', "a@b.example up"],
  ['<a href="https://a.example/"><img src="x" alt="Shop now"></a>', "Shop now: https://a.example/"],
  ['<p style="display:none">preview</p><p hidden>x</p><p>shown</p>', "shown"],
  ["<style>.h{color:red;DISPLAY : none}</style><div class='b h'>x</div><p>shown</p>", "shown"],
  [
    "<style>/* } */ p, a.h, #u { display: none !important }</style><p>x</p><i id=u>y</i><a class=h>z</a>shown",
    "shown"
  ],
  [
    "<style>@media (width<9px){.h{display:none}}@import 'x';.h{margin:0}</style><p class=h>shown</p>",
    "shown"
  ],
  ["<style>.h{display:none}</style><style>.h{display:block}</style><p class=h>shown</p>", "shown"],
  ["<style>.h .i, .h:hover, *{display:none}.j{display:none</style><p class=h>shown</p>", "shown"],
  ["<ul><li>a</li><li>b</li></ul>", "* a\n * b"],
  ["<table><tr><td>a</td><td>b</td></tr></table>", "a\nb"],
  ["<title>t</title><style>p{}</style><script>x</script>", null],
  ["", null]
]

const opened = 'target="_blank" rel="noopener noreferrer"'

/** Documents, and how they are displayed, after the document type. */
const displayed: ReadonlyArray<readonly [html: string, shown: string]> = [
  ["<p class=a>1 < 2 &amp; 3</p>", '<p class="a">1 &lt; 2 &amp; 3</p>'],
  ["a<script>alert(1)</script>b<SCRIPT src=//x>c</SCRIPT>d", "abd"],
  [`<p onclick="x()" ONLOAD=y style="color: red">t</p>`, '<p style="color: red">t</p>'],
  [
    `<a href="https://a.example/?a&amp;b" target=_top ping=/p rel=opener>x</a>`,
    `<a href="https://a.example/?a&amp;b" ${opened}>x</a>`
  ],
  [`<a href=" java\nscript:alert(1)">x</a>`, `<a ${opened}>x</a>`],
  [
    `<a href="data:text/html,x">x</a><a href="mailto:a@b.example">y</a>`,
    `<a ${opened}>x</a><a href="mailto:a@b.example" ${opened}>y</a>`
  ],
  [
    `<img src="https://a.example/x.png" srcset="https://b.example/y 2x" alt=z>`,
    '<img src="/i?https://a.example/x.png" alt="z">'
  ],
  [`<img src="http://a.example/x.png"><img src="data:image/svg+xml,<svg>">`, "<img><img>"],
  [
    `<table background="https://a.example/b.png"><tr><td>x</td></tr></table>`,
    '<table background="/i?https://a.example/b.png"><tr><td>x</td></tr></table>'
  ],
  [`<meta http-equiv=refresh content="0;url=https://a.example/"><base href="https://a.example/">x`, "x"],
  [`<form action="https://a.example/"><input name=a><button>Send</button></form>`, "Send"],
  [`<iframe src="https://a.example/"><p>in</p></iframe><object data=x>y</object>z`, "z"],
  [`<svg><style><img src=x onerror=alert(1)></style></svg><math><mi>x</mi></math>y`, "y"],
  ["<!-- c --><!--[if mso]><b>m</b><![endif]-->x", "x"],
  ["<style>p > a { color: red }</style>", "<style>p > a { color: red }</style>"],
  ["<b><i>x</b>y", "<b><i>x</i></b>y"],
  ["<p", "p"]
]

const piece = fc.constantFrom(
  ..."<a </a> <area <body> </body> </html> <b> href= href data-no-track = > /> < & &amp; &#x26; &lt \" ' ` <!-- --> <![CDATA[ ]]>".split(
    " "
  ),
  ..."https://a.example/ http://b.example/?x=1&amp;y=2 mailto:x <script> </script> <style> </style> <title> <svg> é 👩 \0".split(
    " "
  ),
  " ",
  "\n",
  `<a href="https://a.example/">`
)

/** Documents that are well-formed or not. */
export const anyHtml = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" })
)

/** Tests of the port `HtmlRewriter`. */
export const htmlRewriterContract = (it: Vitest.MethodsNonLive<HtmlRewriter>): void => {
  const test = (title: string, run: (port: HtmlRewriter["Service"]) => void): void =>
    it.effect(title, () => Effect.map(HtmlRewriter, run))

  /** The URLs of the links, which the port passes all at once. */
  const linksOf = ({ rewrite }: HtmlRewriter["Service"], html: string): ReadonlyArray<string> => {
    const urls: Array<string> = []
    let all: ReadonlyArray<string> = []
    rewrite(html, (given) => ((all = given), (url) => (urls.push(url), url)), "")
    expect(urls).toEqual(all)
    return urls
  }
  const target = () => () => "https://t.example/x?a=1&b=2"
  const same = () => (url: string) => url

  describe("HtmlRewriter", () => {
    for (const [html, urls] of links) {
      test(`finds the links of ${html}`, (port) => expect(linksOf(port, html)).toEqual(urls))
    }

    test("replaces links with their quotes, and nothing else", ({ rewrite }) => {
      const html = `<P><a  href='https://a.example/'\n id=x>a</a><a href=https://b.example/ id=y>b</A></p>`
      expect(rewrite(html, target, "")).toBe(
        `<P><a  href="https://t.example/x?a=1&amp;b=2"\n id=x>a</a><a href="https://t.example/x?a=1&amp;b=2" id=y>b</A></p>`
      )
    })

    test("reads the text of links as it is seen, on one line", (port) => {
      const html = `<a href="https://a.example/">Shop\n <b>now</b>&amp;<br>save</a> beside <a href="https://b.example/"><img alt="Our
        logo" src=x></a><a href="https://c.example/"></a><a href="https://d.example/">{{ contact.firstName }}<a href="/e">e</a>
        <map><area href="https://f.example/" alt="Map"></map><a data-no-track href="https://g.example/">g</a>`
      expect(port.links(html)).toEqual([
        { url: "https://a.example/", text: "Shop now& save" },
        { url: "https://b.example/", text: "Our logo" },
        { url: "https://c.example/", text: null },
        { url: "https://d.example/", text: "{{ contact.firstName }}" },
        { url: "https://f.example/", text: "Map" }
      ])
      const table = `<a href="https://a.example/"><table><tr><td>S<b>pr</b>ing</td><td>sale</td></tr></table><p>now</p></a>`
      expect(port.links(table).map(({ text }) => text)).toEqual(["Spring sale now"])
      expect(port.links(html, "data-no-utm").map(({ url }) => url)).toContain("https://g.example/")
      const [long] = port.links(`<a href="https://a.example/">${"x".repeat(maxLinkText + 1)}</a>`)
      expect(long!.text).toBe("x".repeat(maxLinkText))
    })

    test("finds the links of templates, with their URLs as they are written", ({ templateLinks }) => {
      const template =
        '<a href="https://a.example/?a=1&amp;b=2">A</a>' +
        '<a {% if a > 1 %}class="x"{% endif %} href="https://b.example/{{ item.url | append: "x>" }} ">B {{ name }}</a>' +
        "<A{% if a %} id=a{% endif %} HREF='{{ url }}'>C</A><a href={{ url }}/d id=d>D</a><a href=https://e.example/{% if a %}e{% endif %}>E</a>" +
        '{% for one in all %}<a href="{% if a == "b" %}https://f.example{% else %}https://g.example{% endif %}">F</a>{% endfor %}' +
        '<a href="mailto:{{ email }}">G</a><a href="/{{ path }}">H</a><a data-no-track href="https://i.example/{{ i }}">I</a>' +
        '<a href="https://j.example/{{ a">J</a>{{ "<a href=\'https://k.example/\'>" | raw }}'
      const found = templateLinks(template)
      expect(found.map(({ isRendered, text, url }) => [url, text, isRendered])).toEqual([
        ["https://a.example/?a=1&b=2", "A", false],
        ['https://b.example/{{ item.url | append: "x>" }}', "B {{ name }}", true],
        ["{{ url }}", "C", true],
        ["{{ url }}/d", "D", true],
        ['{% if a == "b" %}https://f.example{% else %}https://g.example{% endif %}', "F", true]
      ])
      for (const { end, isRendered, url } of found) {
        if (isRendered) expect(template.slice(0, end).endsWith(url)).toBe(true)
      }
      expect(templateLinks(template, "data-no-utm").map(({ url }) => url)).toContain(
        "https://i.example/{{ i }}"
      )
    })

    test("reads long templates whose parts do not end in time that grows with their length", (port) => {
      for (const part of ["{{", "{%", "{{}}", '<a href="{{']) {
        expect(port.templateLinks(part.repeat(200_000)).length).toBeLessThanOrEqual(5_000)
      }
    })

    for (const [html, rewritten] of bodies) {
      test(`finds the end of the body of ${JSON.stringify(html)}`, ({ rewrite }) =>
        expect(rewrite(html, same, "|")).toBe(rewritten))
    }

    test("rewrites links after the end of the body", ({ rewrite }) => {
      const html = `<body>x</body><a href="https://a.example/">y</a>`
      expect(rewrite(html, target, "|")).toBe(
        `<body>x|</body><a href="https://t.example/x?a=1&amp;b=2">y</a>`
      )
    })

    for (const [html, shown] of displayed) {
      test(`shows ${html.slice(0, 80)}`, ({ display }) =>
        expect(display(html, (url) => (url.startsWith("https:") ? `/i?${url}` : null))).toBe(
          `<!doctype html>${shown}`
        ))
    }

    for (const [html, start, end] of fragments) {
      test(`completes ${JSON.stringify(html)}`, ({ document }) => {
        const whole = document(html, { language: "pt-BR", title: "1 < 2" })
        expect(whole.startsWith(start)).toBe(true)
        expect(whole.endsWith(end)).toBe(true)
        expect(whole).toContain('<meta charset="utf-8">\n<title>1 &lt; 2</title>')
        expect(whole.length).toBeGreaterThan(maxBareHtml)
        expect(document(whole, { language: "en", title: "" })).toBe(whole)
      })
    }

    test("keeps what is a document", ({ document }) => {
      for (const html of ["<html>x", " <!-- a -->\n<!doctype html><HTML lang=de><body>x</body></HTML>"]) {
        expect(document(html, { language: "en", title: "t" })).toBe(html)
      }
      const own = "<head><title>own</title></head><body>x</body>"
      expect(document(own, { language: "en", title: "t" })).toBe(
        `<!doctype html>\n<html lang="en">\n${own}\n</html>\n`
      )
    })

    for (const [html, text] of texts) {
      it.effect(`writes ${html.slice(0, 80)} as text`, () =>
        Effect.flatMap(HtmlRewriter, (port) =>
          Effect.map(port.text(html), (written) => expect(written).toBe(text))
        )
      )
    }

    it.effect("writes any string and long or deep html as text", () =>
      Effect.gen(function* () {
        const port = yield* HtmlRewriter
        for (const html of fc.sample(anyHtml, 100)) yield* port.text(html)
        const long = yield* port.text(`<p>${"word ".repeat(120_000)}</p>`)
        expect(long?.length).toBeGreaterThan(400_000)
        for (const part of ["<div>", "<table><tr><td>", "<ul><li>", "<b>"]) {
          yield* port.text(part.repeat(100_000))
        }
      })
    )

    test("shows nothing of any string that runs, loads or leads away", ({ display }) => {
      fc.assert(
        fc.property(anyHtml, (html) => {
          const shown = display(html, () => null)
          const markup = shown.replaceAll(/<style[^>]*>[^]*?(?:<\/style>|$)/g, "")
          expect(markup).not.toMatch(
            /<(?:script|iframe|object|embed|base|meta|link|form|svg|math|template)\b/i
          )
          expect(display(shown, () => null)).toBe(shown)
        }),
        { numRuns: 500 }
      )
    })

    test("keeps any string byte for byte where no link changes, and finds its own links again", (port) => {
      fc.assert(
        fc.property(anyHtml, (html) => {
          expect(port.rewrite(html, same, "")).toBe(html)
          const tracked = port.rewrite(html, () => (url) => `${url}#tracked`, "")
          expect(linksOf(port, tracked)).toEqual(linksOf(port, html).map((url) => `${url}#tracked`))
        }),
        { numRuns: 2000 }
      )
    })
  })
}
