/**
 * Tests of the rewriter beyond the port's contract: a parser reads the rewritten document like the original, and the time is
 * proportional to the length.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { Parser } from "htmlparser2"
import { describe, expect, it } from "vitest"
import { layer } from "../../../adapters/html/HtmlRewriter.ts"
import { layer as threads } from "../../../adapters/threads/Threads.ts"
import { HtmlRewriter } from "../../../core/ports/HtmlRewriter.ts"
import { anyHtml } from "../../contract/HtmlRewriter.ts"
import { spentMillis } from "../../support/stall.ts"

const { rewrite } = await Effect.runPromise(
  Effect.provide(HtmlRewriter, layer.pipe(Layer.provide(threads())))
)

/** The document as a parser reads it, without the targets of links. */
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

describe("a rewritten document", () => {
  it("reads as the original except for the targets of its links", () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const tracked = rewrite(html, () => (url) => `${url}#tracked`, "")
        expect(readAs(tracked)).toBe(readAs(html))
      }),
      { numRuns: 2000 }
    )
  })

  it("takes time in proportion to its length", () => {
    const started = spentMillis()
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
      rewrite(part.repeat(500_000 / part.length), () => () => "https://t.example/x?a=1&b=2", "")
    }
    expect(spentMillis() - started).toBeLessThan(10_000)
  })

  it("leaves links after the first 5,000, and those longer than 4,000 characters, as they are", () => {
    const links = Array.from({ length: 5_001 }, (_, index) => `<a href="http://a/${index}">`)
    const rewritten = rewrite(links.join(""), () => () => "x:", "")
    expect(rewritten).toBe(`${'<a href="x:">'.repeat(5_000)}<a href="http://a/5000">`)
    const long = `<a href="http://a/${" ".repeat(4_000)}&amp;b">`
    expect(rewrite(long, () => () => "x:", "")).toBe(long)
  })
})
