/**
 * The HtmlRewriter port: links and the end of the body change, and nothing else.
 *
 * @module
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import { Parser } from "htmlparser2"
import { describe, expect, it } from "vitest"
import { layer } from "../../../adapters/html/HtmlRewriter.ts"
import { HtmlRewriter } from "../../../core/ports/HtmlRewriter.ts"

const { rewrite } = Effect.runSync(Effect.provide(HtmlRewriter, layer))

const seen = (html: string): ReadonlyArray<string> => {
  const urls: Array<string> = []
  rewrite(html, (url) => (urls.push(url), url), "")
  return urls
}

const mark = (html: string, end = ""): string => rewrite(html, () => "https://t.example/x?a=1&b=2", end)

describe("links", () => {
  it.each<[string, ReadonlyArray<string>]>([
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
  ])("of %s", (html, urls) => {
    expect(seen(html)).toEqual(urls)
  })

  it("are replaced with their quotes, and all else stays", () => {
    expect(
      mark(`<P><a  href='https://a.example/'\n id=x>a</a><a href=https://b.example/ id=y>b</A></p>`)
    ).toBe(
      `<P><a  href="https://t.example/x?a=1&amp;b=2"\n id=x>a</a><a href="https://t.example/x?a=1&amp;b=2" id=y>b</A></p>`
    )
  })
})

describe("the end of the body", () => {
  it.each([
    ["<html><body><p>x</p></body></html>", "<html><body><p>x</p>|</body></html>"],
    ["<body>x</BODY >\n", "<body>x|</BODY >\n"],
    ["<html>x</html>", "<html>x|</html>"],
    ["<p>x", "<p>x|"],
    ["", "|"],
    ["<body>x<!-- </body> --></body>", "<body>x<!-- </body> -->|</body>"],
    ["<body>1</body>2</body>", "<body>1</body>2|</body>"]
  ])("of %s", (html, rewritten) => {
    expect(rewrite(html, (url) => url, "|")).toBe(rewritten)
  })

  it("may lie before a link", () => {
    const html = `<body>x</body><a href="https://a.example/">y</a>`
    expect(mark(html, "|")).toBe(`<body>x|</body><a href="https://t.example/x?a=1&amp;b=2">y</a>`)
  })
})

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

/** The document as a parser reads it, but for where links lead. */
const readAs = (html: string) => {
  const events: Array<unknown> = []
  const parser = new Parser(
    {
      onopentag: (name, { href: _href, ...attributes }) => events.push([name, attributes]),
      onclosetag: (name) => events.push(name),
      ontext: (text) => events.push({ text }),
      oncomment: (comment) => events.push({ comment })
    },
    { decodeEntities: true }
  )
  parser.end(html)
  return JSON.stringify(events).replaceAll(/"\},\{"text":"/g, "")
}

describe("any text", () => {
  it("stays byte for byte where no link changes, and its links can be found again where they do", () => {
    const html = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary" })
    )
    fc.assert(
      fc.property(html, (text) => {
        expect(rewrite(text, (url) => url, "")).toBe(text)
        const urls = seen(text)
        const tracked = rewrite(text, (url) => `${url}#tracked`, "")
        expect(seen(tracked)).toEqual(urls.map((url) => `${url}#tracked`))
        expect(readAs(tracked)).toBe(readAs(text))
      }),
      { numRuns: 2000 }
    )
  })

  it("takes no longer than its length", () => {
    const started = performance.now()
    for (const part of [
      "<a href=",
      "<a href='https://a.example/'>",
      "<!--",
      "<",
      "&",
      "</body",
      "<a ",
      "<script>"
    ]) {
      mark(part.repeat(500_000 / part.length))
    }
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
