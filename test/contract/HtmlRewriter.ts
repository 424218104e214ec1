/**
 * The contract of `core/ports/HtmlRewriter`: links and the end of the body change, and nothing else.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { HtmlRewriter } from "../../core/ports/HtmlRewriter.ts"

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

  /** The URLs of the links, which are first given together. */
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
