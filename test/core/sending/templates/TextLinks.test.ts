/**
 * Tests of finding links in plain text.
 *
 * @module
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { replaceTextLinks } from "../../../../core/sending/templates/TextLinks.ts"

const linksOf = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  replaceTextLinks(text, (url) => {
    found.push(url)
    return url
  })
  return found
}

it.each([
  ["See https://a.example.", ["https://a.example"]],
  ["https://a.example/x?y=1&z=%20#part, then", ["https://a.example/x?y=1&z=%20#part"]],
  [
    '(https://a.example/x)! <http://b.example/?q> "https://c.example"\'',
    ["https://a.example/x", "http://b.example/?q", "https://c.example"]
  ],
  [
    "https://a.example/Name_(place) [b](https://b.example/(x)).",
    ["https://a.example/Name_(place)", "https://b.example/(x)"]
  ],
  [
    "HTTPS://A.example/ „https://b.example/ü“ https://c.example/。",
    ["HTTPS://A.example/", "https://b.example/ü", "https://c.example/"]
  ],
  [
    "*https://a.example/* https://b.example/token_ https://c.example/-/",
    ["https://a.example/", "https://b.example/token_", "https://c.example/-/"]
  ],
  ["xhttps://a.example https:// http://. ftp://a.example www.a.example mailto:a@a.example", []],
  ["https://a.example/?to=https://b.example/", ["https://a.example/?to=https://b.example/"]]
])("%j has the links %j", (text, links) => {
  expect(linksOf(text)).toEqual(links)
})

it("everything but the URLs stays, and a link within punctuation is found whole", () => {
  const word = fc.constantFrom(
    "Hello",
    "ü",
    "a@b.example",
    "https",
    "://",
    "(",
    ")",
    "]",
    "<",
    ">",
    ".",
    "\n",
    "\t",
    "𝒳"
  )
  const before = fc.constantFrom("", " ", "(", "<", "[", '"', "*", "\n", "see: ")
  const after = fc.constantFrom("", " ", ")", ">", "]", '"', "*", ".", ", and", "!?", "...", "\n", "。")
  const url = fc
    .webUrl({ withFragments: true, withQueryParameters: true })
    .filter((one) => /[\w/]$/.test(one) && !/[<>"()[\]{}]/.test(one))
  fc.assert(
    fc.property(fc.array(fc.tuple(word, before, url, after), { maxLength: 4 }), (parts) => {
      const text = parts.map(([one, start, link, end]) => `${one} ${start}${link}${end} `).join("")
      expect(linksOf(text)).toEqual(parts.map(([, , link]) => link))
      expect(replaceTextLinks(text, () => "")).toBe(
        parts.map(([one, start, , end]) => `${one} ${start}${end} `).join("")
      )
    })
  )
})

it("leaves those after 5,000 and very long ones, in linear time", () => {
  expect(replaceTextLinks("http://a ".repeat(55_000), () => "b")).toBe(
    "b ".repeat(5_000) + "http://a ".repeat(50_000)
  )
  const brackets = (count: number) => `https://a/${"(".repeat(count)}${")".repeat(count + 50)} `
  expect(linksOf(brackets(250_000))).toEqual([])
  expect(linksOf(brackets(1_900).repeat(100))).toHaveLength(100)
})
