/**
 * Renders the parts of templates with the variables of emails.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { TemplateItems } from "../../catalog/TemplateItems.ts"
import { inTurns, noTurns, type TurnsShape } from "../../kernel/Turns.ts"
import { TemplateEngine, type TemplateValues } from "../../ports/TemplateEngine.ts"
import { RunOwner } from "../../ports/Threads.ts"
import { Problem } from "../../shared/Problem.ts"
import { type RenderedContent, renderedSources } from "../../model/Template.ts"
import { withPreheader } from "./Preheader.ts"
import { awaitAhead, renderAhead } from "./RendersAhead.ts"

/** A rendered template. */
export interface RenderedTemplate {
  /** One line, trimmed. It may be empty, and longer than a subject may be. */
  readonly subject: string
  /** In the same form as the subject; null if the template has none. It is hidden at the beginning of the HTML. */
  readonly preheader: string | null
  readonly html: string | null
  readonly text: string | null
}

/** Line breaks and other control characters. */
const controls = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/

/** Runs of white space and control characters. */
const gaps = /[\s\u0000-\u001f\u007f\u0085]+/g

/**
 * Renders subject, HTML and text. A template refers to a variable as `{{ name }}` or `{{ variables.name }}`, and to a value of
 * `others` by its name, unless a variable has that name. Values are escaped in HTML, but not in subject and text. Fails with
 * sending.template_render_failed on `variables` if a part exceeds the limits of time or memory, or if a filter does not accept
 * its value.
 */
const renderTemplate = Effect.fnUntraced(function* (
  engine: TemplateEngine["Service"],
  template: RenderedContent,
  variables: TemplateValues,
  others: TemplateValues
) {
  const values: TemplateValues = { ...others, ...variables, variables }
  const render = (part: string | null, escaping: "html" | "none") =>
    part === null ? Effect.succeed(null) : renderAhead(engine, part, values, escaping)
  const line = (part: string | null) =>
    Effect.map(render(part, "none"), (text) => (text === null ? null : oneLine(text)))
  return yield* Effect.all({
    subject: Effect.map(line(template.subject), (subject) => subject ?? ""),
    preheader: line(template.preheader),
    html: render(template.compiledHtml, "html"),
    text: render(template.text, "none")
  }).pipe(
    Effect.map((parts) => ({ ...parts, html: withPreheader(parts.html, parts.preheader) })),
    // A saved template parses, unless another version of the service saved it.
    Effect.mapError(() => Problem.of("sending.template_render_failed", "variables"))
  ) satisfies Effect.Effect<RenderedTemplate, Problem>
})

/** A template with the variables of one email. */
export interface Render {
  readonly template: RenderedContent
  readonly variables: TemplateValues
}

/** Renders templates. */
export class TemplateRenderer extends Context.Service<TemplateRenderer>()("svc/sending/TemplateRenderer", {
  make: Effect.gen(function* () {
    const engine = yield* TemplateEngine
    const { itemsForTemplates } = yield* TemplateItems
    return {
      /**
       * Renders templates of an account, each with its variables and with the catalogue items that its parts refer to as
       * `item` and `recommend`. A variable with one of these names takes precedence. Needs at most two reads for all. Each
       * template fails alone, with sending.template_render_failed.
       *
       * @param turns decides when each render may run, if other work comes first
       */
      render: Effect.fn("TemplateRenderer.render")(function* (
        accountId: string,
        renders: ReadonlyArray<Render>,
        turns: TurnsShape = noTurns
      ) {
        const items = yield* itemsForTemplates(
          accountId,
          renders.map(({ template, variables }) => ({
            templates: renderedSources(template),
            values: { ...variables, variables }
          }))
        )
        const rendered = yield* inTurns(turns, renders, ({ template, variables }, index) =>
          Effect.result(renderTemplate(engine, template, variables, { ...items[index]! }))
        ).pipe(Effect.provideService(RunOwner, accountId))
        yield* awaitAhead
        return rendered
      })
    }
  })
}) {
  static readonly layer = Layer.effect(TemplateRenderer, TemplateRenderer.make)
}

/** Makes a subject one line: a run of white space that contains a control character becomes a space. */
const oneLine = (text: string): string =>
  text.replaceAll(gaps, (gap) => (controls.test(gap) ? " " : gap)).trim()
