/**
 * Tests of matching the links of rendered emails to the links of their template, for any conditions, loops and values.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { layer as rewriterLayer } from "../../../../adapters/html/HtmlRewriter.ts"
import { layer as engineLayer } from "../../../../adapters/templates/TemplateEngine.ts"
import { layer as threads } from "../../../../adapters/threads/Threads.ts"
import { HtmlRewriter } from "../../../../core/ports/HtmlRewriter.ts"
import { TemplateEngine } from "../../../../core/ports/TemplateEngine.ts"
import {
  countedLinks,
  markLinks,
  withoutMarks,
  writtenUrls
} from "../../../../core/sending/templates/LinkNames.ts"

const [rewriter, engine] = await Effect.runPromise(
  Effect.provide(
    Effect.all([HtmlRewriter, TemplateEngine]),
    Layer.mergeAll(rewriterLayer, engineLayer).pipe(Layer.provide(threads()))
  )
)

type Kind = "Condition" | "Fixed" | "Loop" | "Made" | "Rendered"
const kinds: ReadonlyArray<Kind> = ["Condition", "Fixed", "Loop", "Made", "Rendered"]

/** The URL of a link as written in the template, and as rendered. */
const urls: Readonly<Record<Kind, (at: number) => string>> = {
  Fixed: (at) => `https://fixed.example/${at}`,
  Rendered: (at) => `https://rendered.example/${at}/{{ path }}`,
  Condition: (at) => `{{ base }}/${at}?a={{ path | append: "\\"" | url_encode }}`,
  Loop: (at) => `https://loop.example/${at}/{{ one }}#part`,
  Made: (at) => `https://made.example/${at}`
}
const htmlOf: Readonly<Record<Kind, (url: string, at: number) => string>> = {
  Fixed: (url) => `<a href="${url}">F</a>`,
  Rendered: (url) => `<a class="x" href='${url}'>R</a>`,
  Condition: (url, at) => `{% if shown contains "<${at}>" %}<p><a href="${url}">C</a></p>{% endif %}`,
  Loop: (url) => `{% for one in all %}<a href="${url}">L</a>{% endfor %}`,
  Made: (url) => `{{ '<a href="${url}">M</a>' | raw }}`
}

it("each link that a copy has of a written one has its number, and marks leave no trace", async () => {
  const path = fc.constantFrom("", "p", "é ü", "a/b?c=d", "x#y", "\uE000", `"><b`)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...kinds), { maxLength: 8 }),
      fc.array(fc.nat(7), { maxLength: 8 }),
      fc.array(path, { maxLength: 3 }),
      path,
      async (given, shown, all, own) => {
        const template = given.map((kind, at) => htmlOf[kind](urls[kind](at), at)).join(" ")
        const links = countedLinks(rewriter.templateLinks(template))
        const written = given.flatMap((kind, at) => (kind === "Made" ? [] : [urls[kind](at)]))
        expect(links.map(({ url }) => url)).toEqual(written)
        const values = {
          base: "https://base.example",
          path: own,
          all,
          shown: shown.map((at) => `<${at}>`).join("")
        }
        const render = (of: string) => Effect.runPromise(engine.render(of, values, "html"))
        const [plain, marked] = [await render(template), await render(markLinks(template, links))]
        expect(withoutMarks(marked)).toBe(plain)
        const found = writtenUrls(
          rewriter.links(marked).map(({ url }) => url),
          links
        )
        const kindOf = (url: string) =>
          kinds.find((kind) => url.includes(`//${kind.toLowerCase()}.`)) ?? "Condition"
        for (const { url } of rewriter.links(plain)) {
          const at = Number(/^https:\/\/[a-z]+\.example\/(\d+)/.exec(url)![1])
          const kind = kindOf(url)
          const isRendered = kind !== "Fixed" && kind !== "Made"
          expect(found.get(url)).toBe(isRendered ? urls[kind](at) : undefined)
        }
      }
    )
  )
})

it("of one URL that several links have, the one that is written so has it, else the first", () => {
  const links = [{ url: "{{ a }}" }, { url: "{{ b }}" }, { url: "{{ c }}" }]
  const marked = (url: string, at: number) => `${url}#%EE%80%80${at}%EE%80%81`
  const given = [
    marked("https://a.example/", 1),
    marked("https://a.example/", 0),
    marked("https://b.example/", 2)
  ]
  expect([...writtenUrls(given, links)]).toEqual([
    ["https://a.example/", "{{ b }}"],
    ["https://b.example/", "{{ c }}"]
  ])
  expect([...writtenUrls([...given, "https://b.example/", marked("https://c.example/", 9)], links)]).toEqual([
    ["https://a.example/", "{{ b }}"]
  ])
})
