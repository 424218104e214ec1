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

/** The most parsed templates kept, and the most characters of their texts. */
const maxKept = 500
const maxKeptText = 4_000_000

/** Parsed templates, those used last. */
const makeKept = () => {
  const kept = new Map<string, Liquid.Parsed>()
  let size = 0
  return (template: string, escaping: Escaping): Liquid.Parsed => {
    const key = `${escaping} ${template}`
    const known = kept.get(key)
    const parsed = known ?? Liquid.parse(template, escaping)
    // The last one used is the last to go.
    if (known !== undefined) kept.delete(key)
    else size += key.length
    kept.set(key, parsed)
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept && size <= maxKeptText) break
      kept.delete(oldest)
      size -= oldest.length
    }
    return parsed
  }
}

/** Checks and renders templates in process. */
export const layer = Layer.sync(TemplateEngine, () => {
  const parsedOf = makeKept()
  return TemplateEngine.of({
    check: (template) => attempt<void, TemplateInvalid>(() => void Liquid.parse(template, "html")),
    compileMjml: (mjml) =>
      attempt<string, TemplateInvalid>(() => {
        Liquid.parse(mjml, "html")
        const html = compileMjml(mjml)
        try {
          Liquid.parse(html, "html")
        } catch {
          // Well-formed in the source and not where MJML puts it.
          throw new TemplateInvalid({ message: "tags that do not stay together in MJML", line: 1, column: 1 })
        }
        return html
      }),
    render: (template, values, escaping) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        attempt<string, TemplateInvalid | RenderFailed>(() =>
          Liquid.render(parsedOf(template, escaping), values, escaping, now)
        )
      )
  })
})

/** Runs what throws nothing but errors of the port; anything else is a defect. */
const attempt = <A, E extends TemplateInvalid | RenderFailed>(run: () => A): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      const known = typeof error === "object" && error !== null && "_tag" in error
      return known ? Effect.fail(error as E) : Effect.die(error)
    }
  })
