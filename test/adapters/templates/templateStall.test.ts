/**
 * Tests that hostile templates are rendered or abandoned within their limits, and never block the thread that handles calls, and
 * that ordinary ones start no thread.
 *
 * @module
 */
import { Context, Effect, Exit, Layer, Result, Scope } from "effect"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { layer } from "../../../adapters/templates/TemplateEngine.ts"
import { rendersFast } from "../../../adapters/templates/TemplateCost.ts"
import { layer as threads } from "../../../adapters/threads/Threads.ts"
import { TemplateEngine } from "../../../core/ports/TemplateEngine.ts"
import { Threads } from "../../../core/ports/Threads.ts"
import { hostileRenders, hostileSources } from "../../fixtures/hostile/templates.ts"
import { longestStall } from "../../support/stall.ts"

const scope = Scope.makeUnsafe()
const engineOver = async (pool: Layer.Layer<Threads>) =>
  Context.get(
    await Effect.runPromise(
      Effect.provideService(Layer.build(Layer.provide(layer, pool)), Scope.Scope, scope)
    ),
    TemplateEngine
  )
const engine = await engineOver(threads())
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const within = async (act: () => Promise<unknown>): Promise<void> => {
  const began = performance.now()
  expect(await longestStall(act)).toBeLessThan(250)
  expect(performance.now() - began).toBeLessThan(60_000)
}

describe("the template engine", () => {
  it.each(hostileRenders)("renders or gives up $name", ({ make }) =>
    within(() => {
      const { html, variables } = make()
      return Effect.runPromise(Effect.result(engine.render(html, variables, "html")))
    })
  )

  it.each(hostileSources)("checks and compiles, or gives up, $name", ({ make }) =>
    within(async () => {
      const { html } = make()
      await Effect.runPromise(Effect.result(engine.check(html)))
      if (html.startsWith("<mjml")) await Effect.runPromise(Effect.result(engine.compileMjml(html)))
    })
  )

  it("renders an ordinary template without a thread", async () => {
    const none = await engineOver(
      Layer.succeed(Threads, Threads.of({ run: () => Effect.die(new Error("a thread was used")) }))
    )
    const html = `<p>Hello {{ contact.firstName | default: "you" }},</p>
      {% if order.items.size > 0 %}<ul>{% for item in order.items %}<li>{{ item.name | escape }}
      {%- unless item.count == 1 %} ({{ item.count }}){% endunless %}</li>{% endfor %}</ul>{% endif %}`
    const values = {
      contact: { firstName: "Ada" },
      order: { items: Array.from({ length: 20 }, (_, count) => ({ name: "A & B", count })) }
    }
    await Effect.runPromise(none.check(html))
    expect(await Effect.runPromise(none.render(html, values, "html"))).toContain("<li>A &amp;amp; B (2)</li>")
  })
})

describe("rendersFast", () => {
  it.each<[string, string]>([
    ["a string that holds the end of a tag", `{{ "}}" | where_exp: "i", "a contains i" }}`],
    ["a string that holds a tag", `{% if a == "{% endfor %}" %}{% endif %}`],
    ["an output that ends as a tag does", "{{ a %} | json }}"],
    ["a tag that ends as an output does", "{% if a }} | json %}{% endif %}"],
    ["an escaped quote", `{{ "\\"" | sort }}`],
    ["a filter after another", "{{ a | upcase | json }}"],
    ["a filter after white space that is not ASCII", "{{ a |\u00a0json }}"],
    ["a name that begins with that of a cheap filter", "{{ a | size_x }}"],
    ["a range", "{% for i in (1..1000) %}{% endfor %}"],
    ["a search", "{% if a contains b %}{% endif %}"],
    ["an assignment", "{% assign a = a %}"],
    ["a tag that reads lines of tags", "{% liquid assign a = 1 %}"],
    ["a tag that is not closed", "{% if a"],
    ["nested loops", "{% for i in a %}{% for j in a %}{{ j }}{% endfor %}{% endfor %}"]
  ])("leaves %s to a thread", (_name, template) => {
    expect(rendersFast(template, { a: Array.from({ length: 100 }, () => 1) })).toBe(false)
  })

  it("leaves no expensive template to the thread that answers", { timeout: 120_000 }, async () => {
    const none = await engineOver(
      Layer.succeed(Threads, Threads.of({ run: () => Effect.die(new Error("a thread was used")) }))
    )
    const piece = fc.constantFrom(
      ..."{{ a }}~{{ s | upcase }}~{{ s | escape | url_encode }}~{{ l | escape }}~{{ a | size }}".split("~"),
      ..."{% for i in l %}~{% for i in m %}~{% endfor %}~{% if s == s %}~{% endif %}~{{ i | escape }}".split(
        "~"
      ),
      ..."{{ s | newline_to_br }}~{% case a %}~{% when 1 %}~{% endcase %}~{{ s | truncate: 9000, s }}".split(
        "~"
      )
    )
    const value = fc.record({
      a: fc.integer(),
      s: fc.constantFrom("<", "é", "\n", "a").chain((one) => fc.nat(30_000).map((n) => one.repeat(n))),
      l: fc.nat(900).map((n) => Array.from({ length: n }, () => "<<<<<<<<<<")),
      m: fc.nat(30).map((n) => Array.from({ length: n }, () => "x"))
    })
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 400 }), value, async (pieces, values) => {
        const template = pieces.join("")
        fc.pre(rendersFast(template, values))
        const before = process.threadCpuUsage()
        const result = await Effect.runPromise(Effect.result(none.render(template, values, "html")))
        const { system, user } = process.threadCpuUsage(before)
        expect((system + user) / 1000).toBeLessThan(150)
        return Result.isSuccess(result) || result.failure._tag !== undefined
      }),
      { numRuns: 400 }
    )
  })
})
