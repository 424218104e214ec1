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
  /** One line, without white space at its ends; may be empty, and longer than a subject may be. */
  readonly subject: string
  /** As the subject; null where the template has none. It is hidden at the beginning of the html. */
  readonly preheader: string | null
  readonly html: string | null
  readonly text: string | null
}

/** Line breaks and other controls. */
const controls = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/

/** Runs of white space and controls. */
const gaps = /[\s\u0000-\u001f\u007f\u0085]+/g

/**
 * Renders subject, html and text. A variable is referred to as `{{ name }}` or `{{ variables.name }}`, a value of `others`
 * by its name where no variable has that name. Values are escaped in html, and not in subject and text. Fails with
 * sending.template_render_failed on `variables` when a part exceeds the limits of time or memory, or a filter does not
 * accept its value.
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
    // A saved template parses, unless another version saved it.
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
       * `item` and `recommend`; a variable of that name takes precedence. At most two reads for all; each fails alone, with
       * sending.template_render_failed.
       *
       * @param turns what the renders take turns of
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

/** Makes a subject one line: a run of white space with a control in it becomes a space. */
const oneLine = (text: string): string =>
  text.replaceAll(gaps, (gap) => (controls.test(gap) ? " " : gap)).trim()
