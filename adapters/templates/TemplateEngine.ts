/**
 * The TemplateEngine port: Liquid by liquidjs, MJML by mrml.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import {
  type Escaping,
  type RenderFailed,
  TemplateEngine,
  TemplateInvalid
} from "../../core/ports/TemplateEngine.ts"
import * as Liquid from "./Liquid.ts"
import { compileMjml } from "./Mjml.ts"

/** The most parsed templates kept, and the most characters of their sources. */
const maxKept = 500
const maxKeptLength = 4_000_000

/**
 * The most recently used parsed templates. Not Effect's Cache, which bounds the number of its entries and not their
 * size.
 */
class ParsedTemplates {
  readonly #kept = new Map<string, Liquid.Parsed>()
  #length = 0

  /** The parsed template. Throws `TemplateInvalid`. */
  get(template: string, escaping: Escaping): Liquid.Parsed {
    const key = `${escaping} ${template}`
    const known = this.#kept.get(key)
    const parsed = known ?? Liquid.parse(template, escaping)
    // Moves a known one to the end, which is removed last.
    if (known !== undefined) this.#kept.delete(key)
    else this.#length += key.length
    this.#kept.set(key, parsed)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKept && this.#length <= maxKeptLength) break
      this.#kept.delete(oldest)
      this.#length -= oldest.length
    }
    return parsed
  }
}

/** Checks and renders templates in process. */
export const layer = Layer.sync(TemplateEngine, () => {
  const templates = new ParsedTemplates()
  return TemplateEngine.of({
    check: (template) => attempt<void, TemplateInvalid>(() => void Liquid.parse(template, "html")),
    compileMjml: (mjml) =>
      attempt<string, TemplateInvalid>(() => {
        Liquid.parse(mjml, "html")
        const html = compileMjml(mjml)
        try {
          Liquid.parse(html, "html")
        } catch {
          // Valid in the source, and not in the order in which MJML outputs it.
          throw new TemplateInvalid({ message: "tags that do not stay together in MJML", line: 1, column: 1 })
        }
        return html
      }),
    render: (template, values, escaping) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        attempt<string, TemplateInvalid | RenderFailed>(() =>
          Liquid.render(templates.get(template, escaping), { values, escaping, now })
        )
      )
  })
})

/** Runs a function that throws the errors of the port; anything else it throws is a defect. */
const attempt = <A, E extends TemplateInvalid | RenderFailed>(run: () => A): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      const known = typeof error === "object" && error !== null && "_tag" in error
      return known ? Effect.fail(error as E) : Effect.die(error)
    }
  })
