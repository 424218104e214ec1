/**
 * Tests of the engine beyond the port's contract: dates, exact positions of errors, and MJML in detail.
 *
 * @module
 */
import { Clock, Context, Effect, Exit, Layer, Result, Scope } from "effect"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { layer } from "../../../adapters/templates/TemplateEngine.ts"
import { layer as threads } from "../../../adapters/threads/Threads.ts"
import { type Escaping, TemplateEngine, type TemplateValues } from "../../../core/ports/TemplateEngine.ts"
import { makeVirtualClock } from "../../../runtimes/embedded/VirtualClock.ts"

const clock = makeVirtualClock(Date.UTC(2031, 4, 6, 7, 8, 9, 123))

const scope = Scope.makeUnsafe()
const engine = Context.get(
  await Effect.runPromise(
    Effect.provideService(Layer.build(Layer.provide(layer, threads())), Scope.Scope, scope)
  ),
  TemplateEngine
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const atNow = <A, E>(effect: Effect.Effect<A, E>): Promise<Result.Result<A, E>> =>
  Effect.runPromise(Effect.provideService(Effect.result(effect), Clock.Clock, clock))

const render = async (
  template: string,
  values: TemplateValues = {},
  escaping: Escaping = "html"
): Promise<string> => {
  const result = await atNow(engine.render(template, values, escaping))
  return Result.isSuccess(result) ? result.success : result.failure._tag
}

const positionOf = (result: Result.Result<unknown, { readonly _tag: string }>): unknown => {
  if (Result.isSuccess(result)) return "valid"
  const { _tag, ...rest } = result.failure
  const { column, line } = rest as { readonly line?: number; readonly column?: number }
  return _tag === "TemplateInvalid" ? [line, column] : _tag
}

const check = async (template: string) => positionOf(await atNow(engine.check(template)))

describe("Liquid", () => {
  it.each<[string, TemplateValues, string]>([
    [
      "{{ 'now' | date: '%Y-%m-%dT%H:%M:%S' }} {{ 'today' | date: '%s' }}",
      {},
      "2031-05-06T07:08:09 1935817689"
    ],
    ["{{ '2026-01-02T23:30:00-02:00' | date: '%A %-d %B %H:%M %z' }}", {}, "Saturday 3 January 01:30 +0000"],
    ["{{ a | date: '%Y' }}{{ b | date: '%Y' }}", { a: "no date", b: null }, "no date"]
  ])("renders dates in UTC at the time of the clock: %s", async (template, values, rendered) => {
    expect(await render(template, values)).toBe(rendered)
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
  ])("reports the position where a template does not parse: %s", async (template, position) => {
    expect(await check(template)).toEqual(position)
  })
})

describe("MJML", () => {
  const compile = async (mjml: string): Promise<string> => {
    const result = await atNow(engine.compileMjml(mjml))
    return Result.isSuccess(result) ? result.success : JSON.stringify(positionOf(result))
  }
  const body = (content: string) => `<mjml><mj-body>${content}</mj-body></mjml>`
  const column = (content: string) => body(`<mj-section><mj-column>${content}</mj-column></mj-section>`)

  it("loads no font that the source does not name", async () => {
    const html = await compile(body("<mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section>"))
    expect(html).toContain("Hi")
    expect(html).not.toMatch(/@import|<link/)
    const font = `<mj-font name="Own" href="https://fonts.example/own.css" />`
    const named = `<mjml><mj-head>${font}<mj-attributes><mj-all font-family="Own" /></mj-attributes></mj-head><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>`
    expect(await compile(named)).toContain("https://fonts.example/own.css")
  })

  it("keeps Liquid in text, in attributes, around rows and between sections", async () => {
    const html = await compile(
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
    const rendered = await render(html, {
      title: "T&T",
      color: "#123456",
      items: [item, { ...item, count: 5 }]
    })
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
    ["an unknown element", body("\n<mj-foo/>"), "[2,1]"],
    ["an include", body("<mj-include path='/etc/passwd'/>"), "[1,16]"],
    ["a missing end tag", "<mjml>\n<mj-body>", "[2,10]"],
    ["an attribute without quotes", column("{{ a }}\n<mj-text color=red>x</mj-text>"), "[2,16]"],
    ["invalid Liquid", column("\n<mj-text>{{ a | foo }}</mj-text>"), "[2,10]"],
    ["Liquid that is not closed", column("<mj-text>{% if a %}</mj-text>"), "[1,48]"],
    [
      "inline styles",
      `<mjml><mj-head>\n<mj-style inline="inline">a{}</mj-style></mj-head><mj-body></mj-body></mjml>`,
      "[2,11]"
    ]
  ])("rejects %s with its position", async (_, mjml, position) => {
    expect(await compile(mjml)).toBe(position)
  })

  // A source of 250 KB once made a compiler take 3 GB, which no limit of the thread counts.
  it.each<[string, string]>([
    [
      "more than 50 images of a carousel",
      column(`<mj-carousel>${"<mj-carousel-image src='x' />".repeat(51)}</mj-carousel>`)
    ],
    [
      "images of a carousel between comments",
      column(`<mj-carousel>${"<mj-carousel-image /><!-- -->".repeat(5_000)}</mj-carousel>`)
    ],
    [
      "long default attributes of many elements",
      `<mjml><mj-head><mj-attributes><mj-all css-class="${"x".repeat(50_000)}" /></mj-attributes></mj-head>
      <mj-body><mj-section><mj-column>${"<mj-text />".repeat(1_000)}</mj-column></mj-section></mj-body></mjml>`
    ],
    [
      "a long attribute that many elements of a container get",
      column(`<mj-navbar base-url="${"x".repeat(50_000)}">${"<mj-navbar-link />".repeat(1_000)}</mj-navbar>`)
    ]
  ])("rejects %s", async (_, mjml) => {
    expect(await compile(mjml)).toMatch(/^\[\d+,\d+\]$/)
  })

  it("compiles a carousel of 50 images, and an image of 100 KB in an attribute", async () => {
    const image = "<mj-carousel-image src='x' />".repeat(50)
    expect(await compile(column(`<mj-carousel>${image}</mj-carousel>`))).toContain("mj-carousel")
    const data = `data:image/png;base64,${"A".repeat(100_000)}`
    const texts = "<mj-text>a</mj-text>".repeat(100)
    expect(await compile(column(`<mj-image src="${data}" />${texts}`))).toContain(data)
  })

  it("continues after a source that is nested too deep", async () => {
    for (const count of [10_000, 100, 20_000, 1]) {
      const html = await compile(column(`<mj-text>${"<b>".repeat(count)}x${"</b>".repeat(count)}</mj-text>`))
      expect(html.includes("<b>x</b>")).toBe(count <= 100)
    }
  })

  it("compiles or rejects any string", async () => {
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
    await fc.assert(
      fc.asyncProperty(mjml, async (text) => {
        const html = await compile(text)
        if (!html.startsWith("[")) expect(await check(html)).toBe("valid")
      }),
      { numRuns: 1000 }
    )
  })

  it("compiles a large source within its time", async () => {
    const started = performance.now()
    await compile(column("<mj-text>hello {{ a }}</mj-text>".repeat(4900)))
    await compile(column(`<mj-text>${"<p>".repeat(160_000)}</mj-text>`))
    await compile(column(`<mj-text>${"<!--".repeat(120_000)}</mj-text>`))
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
