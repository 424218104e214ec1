/**
 * The contract of `core/ports/TemplateEngine`: Liquid treated as data, escaped and bounded, and MJML that contains Liquid.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { type Escaping, TemplateEngine, type TemplateValues } from "../../core/ports/TemplateEngine.ts"
import type { Json } from "../../core/shared/Json.ts"

const rendered: ReadonlyArray<readonly [template: string, values: TemplateValues, result: string]> = [
  ["Hello {{ name }}", { name: "Ada" }, "Hello Ada"],
  ["{{ a }}", { a: `<b> & "q" 'p'` }, "&lt;b&gt; &amp; &quot;q&quot; &#39;p&#39;"],
  ["{{ a | raw }}", { a: "<b>" }, "<b>"],
  ["[{{ unknown }}{{ a.b.c }}{{ nil }}]", { a: 1 }, "[]"],
  ["[{{ a }}{{ b }}{{ a | raw }}{{ blank }}{{ forloop }}]", { a: [1, 2], b: { c: 1 } }, "[]"],
  ["{% for x in a %}{{ x }},{% endfor %}{{ a.size }}{{ b.c }}", { a: [1, 2], b: { c: 3 } }, "1,2,23"],
  ["{{ t }} {{ f }} {{ n }} {{ z }}", { t: true, f: false, n: 1.5, z: 0 }, "true false 1.5 0"],
  ["{{ a | upcase }}{{ a | size }}", { a: "straße" }, "STRASSE6"],
  ["{% assign x = a | append: '<' %}{{ x }}", { a: ">" }, "&gt;&lt;"],
  ["{% if a %}y{% else %}n{% endif %}{% unless a %}u{% endunless %}", { a: null }, "nu"],
  ["{% raw %}{{ a }}{% endraw %}", { a: 1 }, "{{ a }}"],
  ["", {}, ""],
  ["{{ a.constructor }}{{ a.__proto__ }}{{ constructor }}{{ __proto__ }}{{ a.toString }}", { a: {} }, ""]
]

/** Templates that do not parse, with the line of the error. */
const invalid: ReadonlyArray<readonly [template: string, line: number]> = [
  ["a\n b {{ x | secret }}", 2],
  ["{% secret %}", 1],
  ["\n\n {{ secret", 3],
  ["{% if secret %}", 1],
  ["secret{% endif %}", 1],
  ["{% include 'secret' %}", 1],
  ["\n{% render 'secret' %}", 2],
  ["{% layout 'secret' %}", 1]
]

/** Templates whose rendering must fail quickly. */
const unbounded: ReadonlyArray<readonly [template: string, values?: TemplateValues]> = [
  ["{% for i in (1..1000000000) %}a{% endfor %}"],
  ["{% for i in (1..9000) %}{% for j in (1..9000) %}{% assign x = j %}{% endfor %}{% endfor %}"],
  [`{% assign x = 'aaaaaaaaaa' %}${"{% assign x = x | append: x %}".repeat(60)}`],
  [`{% assign x = 'aaaaaaaaaa' %}${"{% capture x %}{{ x | raw }}{{ x | raw }}{% endcapture %}".repeat(60)}`],
  [`{% assign x = 'aaaaaaaaaa' %}${"{% capture x %}{{ x }}{{ x }}{% endcapture %}".repeat(60)}`],
  [`{% for i in (1..1000) %}${"x".repeat(10_000)}{% endfor %}`],
  ["{{ '2020' | date: '%999999999Y' }}"],
  ["{% for i in (1..900000) %}{% assign y = x | sort | reverse | json %}{% endfor %}", { x: [3, 1, 2] }],
  ["{{ x | append }}", { x: "a" }]
]

/** Templates that are hard to parse. */
const hostile: ReadonlyArray<string> = [
  "{%".repeat(100_000),
  "{{".repeat(100_000),
  "{{'".repeat(100_000),
  "{% if a %}".repeat(20_000),
  `{{ ${"a[".repeat(50_000)} }}`,
  `{{ x ${"| upcase ".repeat(50_000)}}}`,
  "{% comment %}".repeat(38_000),
  `{% liquid ${"if x\n".repeat(50_000)} %}`,
  `{% raw %}${"{{".repeat(200_000)}{% endraw %}`
]

const json: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>

/** Parts of templates, to be combined in any order. */
const templatePieces = fc.constantFrom(
  ..."{{ }} {% %} {{- -%} | . , : ( ) [ ] ' \" a b a.b if endif for in endfor assign = == < > case when endcase".split(
    " "
  ),
  ..."capture endcapture raw endraw comment endcomment liquid echo tablerow endtablerow cycle increment".split(
    " "
  ),
  ..."upcase append split join sort where date json raw default include render # 1 -1 1.5 (1..5) \n".split(
    " "
  ),
  "<a href=x>",
  "é漢👩‍👩‍👧",
  "\u2028",
  "\\"
)

/** Tests of the port `TemplateEngine`. */
export const templateEngineContract = (it: Vitest.MethodsNonLive<TemplateEngine>): void => {
  interface Engine {
    readonly render: (template: string, values?: TemplateValues, escaping?: Escaping) => Promise<string>
    readonly check: (
      template: string
    ) => Promise<"valid" | { readonly line: number; readonly column: number }>
    readonly compileMjml: (mjml: string) => Promise<string>
  }
  /** The port, with errors reduced to their tag or position. */
  const engineOf = (port: TemplateEngine["Service"]): Engine => {
    const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.result(effect))
    return {
      render: async (template, values = {}, escaping = "html") => {
        const result = await run(port.render(template, values, escaping))
        return Result.isSuccess(result) ? result.success : result.failure._tag
      },
      check: async (template) => {
        const result = await run(port.check(template))
        if (Result.isSuccess(result)) return "valid"
        expect(result.failure._tag).toBe("TemplateInvalid")
        expect(result.failure.message).not.toMatch(/secret/)
        return { line: result.failure.line, column: result.failure.column }
      },
      compileMjml: async (mjml) => {
        const result = await run(port.compileMjml(mjml))
        return Result.isSuccess(result) ? result.success : result.failure._tag
      }
    }
  }
  const test = (title: string, use: (engine: Engine) => Promise<void>): void =>
    it.effect(title, () =>
      Effect.flatMap(TemplateEngine, (port) => Effect.promise(() => use(engineOf(port))))
    )
  const soon = async (run: () => Promise<void>): Promise<void> => {
    const started = process.cpuUsage()
    await run()
    const { system, user } = process.cpuUsage(started)
    expect((system + user) / 1000).toBeLessThan(5000)
  }

  describe("TemplateEngine", () => {
    for (const [template, values, result] of rendered) {
      test(`renders ${template}`, async ({ render }) => expect(await render(template, values)).toBe(result))
    }

    test("writes values unescaped on request, and lists and objects as nothing", async ({ render }) => {
      const values = { a: "<b> & 'c'", list: [1], object: { a: 1 } }
      expect(await render("{{ a }}{{ list }}{{ object }}{{ list | raw }}", values, "none")).toBe("<b> & 'c'")
    })

    for (const [template, line] of invalid) {
      test(`reports the position where a template does not parse: ${JSON.stringify(template)}`, async ({
        check,
        render
      }) => {
        expect(await check(template)).toMatchObject({ line, column: expect.any(Number) })
        expect(await render(template)).toBe("TemplateInvalid")
      })
    }

    for (const [template, values] of unbounded) {
      test(`stops a render that takes too much: ${JSON.stringify(template.slice(0, 60))}`, ({ render }) =>
        soon(async () => expect(await render(template, values)).toBe("RenderFailed")))
    }

    for (const template of hostile) {
      test(`parses within its time, however hostile: ${JSON.stringify(template.slice(0, 20))}`, ({
        check,
        render
      }) =>
        soon(async () => {
          await check(template)
          await render(template)
        }))
    }

    test("renders any string, or reports that it is no template", async ({ check, render }) => {
      const template = fc.oneof(
        fc.array(templatePieces, { maxLength: 40 }).map((parts) => parts.join(" ")),
        fc.array(templatePieces, { maxLength: 40 }).map((parts) => parts.join("")),
        fc.string({ unit: "binary", maxLength: 60 })
      )
      const values = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), json)
      await fc.assert(
        fc.asyncProperty(template, values, async (text, given) => {
          const isValid = (await check(text)) === "valid"
          const html = await render(text, given, "html")
          await render(text, given, "none")
          if (!isValid) expect(html).toBe("TemplateInvalid")
          else expect(html).not.toBe("TemplateInvalid")
        }),
        { numRuns: 2000 }
      )
    })

    test("escapes every value in html", async ({ render }) => {
      const filter = fc.constantFrom(
        "",
        "| upcase",
        "| append: b",
        "| replace: 'a', b",
        "| split: '' | join: b",
        "| json"
      )
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary" }), fc.string(), filter, async (a, b, filters) => {
          const text = await render(`{{ a ${filters} }}`, { a, b })
          expect(text.replaceAll(/&(amp|lt|gt|quot|#39);/g, "")).not.toMatch(/[<>&"']/)
        }),
        { numRuns: 500 }
      )
    })

    test("compiles MJML to HTML, and keeps its Liquid", async ({ compileMjml, render }) => {
      const html = await compileMjml(
        `<mjml><mj-body><mj-section><mj-column>
          <mj-text>{% if item.count < 3 and item.count > 1 %}few{% endif %} {{ item.name | upcase }}</mj-text>
          <mj-button href="{{ item.url }}?a=1&amp;b={{ item.b | url_encode }}">Go</mj-button>
          </mj-column></mj-section></mj-body></mjml>`
      )
      const item = { count: 2, name: "a<b", url: "https://x.example/", b: "&" }
      const text = await render(html, { item })
      expect(text).toContain("few A&lt;B")
      expect(text).toContain('href="https://x.example/?a=1&amp;b=%26"')
      expect(text).not.toContain("<mj-")
    })

    test("rejects MJML that is invalid, reads a file, or holds invalid Liquid", async ({ compileMjml }) => {
      for (const content of [
        "<mj-foo/>",
        "<mj-include path='/etc/passwd'/>",
        "<mj-section>",
        "<mj-section><mj-column><mj-text>{{ a | foo }}</mj-text></mj-column></mj-section>"
      ]) {
        expect(await compileMjml(`<mjml><mj-body>${content}</mj-body></mjml>`)).toBe("TemplateInvalid")
      }
    })
  })
}
