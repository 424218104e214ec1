/**
 * The TemplateEngine port: Liquid as data, bounded, escaped, and MJML with Liquid in it.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { layer } from "../../../adapters/templates/TemplateEngine.ts"
import { type Escaping, TemplateEngine, type TemplateValues } from "../../../core/ports/TemplateEngine.ts"
import type { Json } from "../../../core/shared/Json.ts"
import { makeVirtualClock } from "../../../runtimes/embedded/VirtualClock.ts"

const clock = makeVirtualClock(Date.UTC(2031, 4, 6, 7, 8, 9, 123))

const engine = Effect.runSync(Effect.provide(TemplateEngine, layer))

const atNow = <A, E>(effect: Effect.Effect<A, E>): Result.Result<A, E> =>
  Effect.runSync(Effect.provideService(Effect.result(effect), Clock.Clock, clock))

const render = (template: string, values: TemplateValues = {}, escaping: Escaping = "html"): string => {
  const result = atNow(engine.render(template, values, escaping))
  return Result.isSuccess(result) ? result.success : result.failure._tag
}

const placeOf = (result: Result.Result<unknown, { readonly _tag: string }>): unknown => {
  if (Result.isSuccess(result)) return "valid"
  const { _tag, ...rest } = result.failure
  const { column, line } = rest as { readonly line?: number; readonly column?: number }
  return _tag === "TemplateInvalid" ? [line, column] : _tag
}

const check = (template: string) => placeOf(atNow(engine.check(template)))

describe("Liquid", () => {
  it.each<[string, TemplateValues, string]>([
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
    ["{{ a.constructor }}{{ a.__proto__ }}{{ constructor }}{{ __proto__ }}{{ a.toString }}", { a: {} }, ""],
    [
      "{{ 'now' | date: '%Y-%m-%dT%H:%M:%S' }} {{ 'today' | date: '%s' }}",
      {},
      "2031-05-06T07:08:09 1935817689"
    ],
    ["{{ '2026-01-02T23:30:00-02:00' | date: '%A %-d %B %H:%M %z' }}", {}, "Saturday 3 January 01:30 +0000"],
    ["{{ a | date: '%Y' }}{{ b | date: '%Y' }}", { a: "no date", b: null }, "no date"]
  ])("%s", (template, values, rendered) => {
    expect(render(template, values)).toBe(rendered)
  })

  it("writes values as they are where nothing is escaped, and lists and objects as nothing", () => {
    const values = { a: "<b> & 'c'", list: [1], object: { a: 1 } }
    expect(render("{{ a }}{{ list }}{{ object }}{{ list | raw }}", values, "none")).toBe("<b> & 'c'")
  })

  it.each<[string, unknown]>([
    ["a\n b {{ x | foo }}", [2, 4]],
    ["{% foo %}", [1, 1]],
    ["\n\n {{ x", [3, 2]],
    ["{% if x %}", [1, 1]],
    ["x{% endif %}", [1, 2]],
    ["{% assign x = %}", [1, 14]],
    ["{{}}", [1, 3]],
    ["{% include 'secret' %}", [1, 1]],
    ["\n{% render 'secret' %}", [2, 1]],
    ["{% layout 'secret' %}", [1, 1]],
    ["{% block a %}{% endblock %}", [1, 1]],
    ["{{ a }}".repeat(5000), "valid"],
    [`${"{{ a }}".repeat(5000)}\n {{ a }}`, [2, 2]]
  ])("says where a template does not parse: %s", (template, place) => {
    expect(check(template)).toEqual(place)
  })

  it.each<[string, TemplateValues?]>([
    ["{% for i in (1..1000000000) %}a{% endfor %}"],
    ["{% for i in (1..9000) %}{% for j in (1..9000) %}{% assign x = j %}{% endfor %}{% endfor %}"],
    [`{% assign x = 'aaaaaaaaaa' %}${"{% assign x = x | append: x %}".repeat(60)}`],
    [
      `{% assign x = 'aaaaaaaaaa' %}${"{% capture x %}{{ x | raw }}{{ x | raw }}{% endcapture %}".repeat(60)}`
    ],
    [`{% assign x = 'aaaaaaaaaa' %}${"{% capture x %}{{ x }}{{ x }}{% endcapture %}".repeat(60)}`],
    [`{% for i in (1..1000) %}${"x".repeat(10_000)}{% endfor %}`],
    ["{{ '2020' | date: '%999999999Y' }}"],
    ["{% for i in (1..90000) %}{% assign y = x | sort | reverse | json %}{% endfor %}", { x: [3, 1, 2] }],
    ["{{ x | append }}", { x: "a" }]
  ])("ends what takes too much, soon: %s", (template, values) => {
    const started = performance.now()
    expect(render(template, values ?? {})).toBe("RenderFailed")
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it.each([
    "{%".repeat(100_000),
    "{{".repeat(100_000),
    "{{'".repeat(100_000),
    "{% if a %}".repeat(20_000),
    `{{ ${"a[".repeat(50_000)} }}`,
    `{{ x ${"| upcase ".repeat(50_000)}}}`,
    "{% comment %}".repeat(38_000),
    `{% liquid ${"if x\n".repeat(50_000)} %}`,
    `{% raw %}${"{{".repeat(200_000)}{% endraw %}`
  ])("parses what is hostile in time", (template) => {
    const started = performance.now()
    check(template)
    render(template)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

const json: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>

/** Pieces a template is made of, in any order. */
const pieces = fc.constantFrom(
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

describe("any text", () => {
  it("is a template or none, renders or not, and breaks nothing", () => {
    const template = fc.oneof(
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(" ")),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary", maxLength: 60 })
    )
    fc.assert(
      fc.property(template, fc.dictionary(fc.constantFrom("a", "b", "__proto__"), json), (text, values) => {
        const valid = check(text) === "valid"
        const html = atNow(engine.render(text, values, "html"))
        atNow(engine.render(text, values, "none"))
        if (Result.isSuccess(html)) expect([valid, typeof html.success]).toEqual([true, "string"])
        else if (!valid) expect(html.failure._tag).toBe("TemplateInvalid")
      }),
      { numRuns: 2000 }
    )
  })

  it("of a value never leaves html unescaped", () => {
    const filter = fc.constantFrom(
      "",
      "| upcase",
      "| append: b",
      "| replace: 'a', b",
      "| split: '' | join: b",
      "| json"
    )
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), filter, (a, b, filters) => {
        const text = render(`{{ a ${filters} }}`, { a, b })
        expect(text.replaceAll(/&(amp|lt|gt|quot|#39);/g, "")).not.toMatch(/[<>&"']/)
      }),
      { numRuns: 500 }
    )
  })
})

describe("MJML", () => {
  const compile = (mjml: string): string => {
    const result = atNow(engine.compileMjml(mjml))
    return Result.isSuccess(result) ? result.success : JSON.stringify(placeOf(result))
  }
  const body = (content: string) => `<mjml><mj-body>${content}</mj-body></mjml>`
  const column = (content: string) => body(`<mj-section><mj-column>${content}</mj-column></mj-section>`)

  it("keeps Liquid where it is: in texts, in attributes, about rows and between sections", () => {
    const html = compile(
      `<mjml><mj-head><mj-title>{{ title }}</mj-title><mj-style>.a { color: {{ color }} }</mj-style>
        <mj-attributes><mj-text color="{{ color | default: "red" }}" /></mj-attributes></mj-head><mj-body>
        <mj-raw>{% for item in items %}</mj-raw>
        <mj-section><mj-column>
        <mj-text>{% if item.count < 3 and item.count > 1 %}few{% endif %} {{ item.name | upcase }} &amp; co</mj-text>
        <mj-button href="{{ item.url }}?a=1&amp;b={{ item.b | url_encode }}">Go</mj-button>
        <mj-table><tr>{% for cell in item.cells %}<td>{{ cell }}</td>{% endfor %}</tr></mj-table>
        </mj-column></mj-section>
        <mj-raw>{% endfor %}</mj-raw></mj-body></mjml>`
    )
    const item = { count: 2, name: "a<b", url: "https://x.example/", b: "&", cells: [1, 2] }
    const rendered = render(html, { title: "T&T", color: "#123456", items: [item, { ...item, count: 5 }] })
    expect(rendered).toContain("<title>T&amp;T</title>")
    expect(rendered).toContain("color:#123456")
    expect(rendered).toContain(".a { color: #123456 }")
    expect(rendered).toContain("few A&lt;B &amp; co")
    expect(rendered.match(/A&lt;B &amp; co/g)).toHaveLength(2)
    expect(rendered.match(/few/g)).toHaveLength(1)
    expect(rendered).toContain('href="https://x.example/?a=1&amp;b=%26"')
    expect(rendered).toContain("<td>1</td><td>2</td>")
    expect(rendered).not.toContain("<mj-")
    expect(rendered).not.toMatch(/liquidq*\d+x|\{[{%]/)
  })

  it.each<[string, string, string]>([
    ["an element MJML has not", body("\n<mj-foo/>"), "[2,1]"],
    ["an include", body("<mj-include path='/etc/passwd'/>"), "[1,16]"],
    ["an end that is missing", "<mjml>\n<mj-body>", "[2,10]"],
    ["an attribute without quotes", column("{{ a }}\n<mj-text color=red>x</mj-text>"), "[2,16]"],
    ["Liquid that does not parse", column("\n<mj-text>{{ a | foo }}</mj-text>"), "[2,10]"],
    ["Liquid that ends nowhere", column("<mj-text>{% if a %}</mj-text>"), "[1,48]"],
    [
      "styles that are to be inlined",
      `<mjml><mj-head>\n<mj-style inline="inline">a{}</mj-style></mj-head><mj-body></mj-body></mjml>`,
      "[2,11]"
    ]
  ])("refuses %s, and says where", (_, mjml, place) => {
    expect(compile(mjml)).toBe(place)
  })

  it("gets over a source that is nested too deep", () => {
    for (const count of [10_000, 100, 20_000, 1]) {
      const html = compile(column(`<mj-text>${"<b>".repeat(count)}x${"</b>".repeat(count)}</mj-text>`))
      expect(html.includes("<b>x</b>")).toBe(count <= 100)
    }
  })

  it("any text is MJML or none", () => {
    const parts = fc.constantFrom(
      ..."<mjml> </mjml> <mj-body> </mj-body> <mj-section> </mj-section> <mj-column> </mj-column> <mj-text> </mj-text>".split(
        " "
      ),
      ..."<mj-raw> </mj-raw> <mj-head> </mj-head> <mj-style> </mj-style> <mj-button href='x'> {{a}} {%if%} é 👩 <!-- --> & < > \" <br> </b>".split(
        " "
      ),
      "\n",
      "{% if a %}",
      "{% endif %}"
    )
    const mjml = fc.oneof(
      fc.array(parts, { maxLength: 30 }).map((all) => all.join("")),
      fc.array(parts, { maxLength: 20 }).map((all) => column(`<mj-text>${all.join("")}</mj-text>`))
    )
    fc.assert(
      fc.property(mjml, (text) => {
        const html = compile(text)
        if (!html.startsWith("[")) expect(check(html)).toBe("valid")
      }),
      { numRuns: 1000 }
    )
  })

  it("takes a large source in time", () => {
    const started = performance.now()
    compile(column("<mj-text>hello {{ a }}</mj-text>".repeat(4900)))
    compile(column(`<mj-text>${"<p>".repeat(160_000)}</mj-text>`))
    compile(column(`<mj-text>${"<!--".repeat(120_000)}</mj-text>`))
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
