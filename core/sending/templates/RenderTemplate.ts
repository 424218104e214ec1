/**
 * Renders the parts of a template with the variables of one email.
 *
 * @module
 */
import { Effect } from "effect"
import { TemplateItems } from "../../catalog/TemplateItems.ts"
import { TemplateEngine, type TemplateValues } from "../../ports/TemplateEngine.ts"
import { Problem } from "../../shared/Problem.ts"
import type { Template } from "../../model/Template.ts"

/** What an email says, rendered. */
export interface RenderedTemplate {
  /** One line, without white space at its ends; may be empty, and longer than a subject may be. */
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

/** Line breaks and other controls. */
const controls = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/

/** White space and controls, as far as they reach. */
const gaps = /[\s\u0000-\u001f\u007f\u0085]+/g

/** The parts of a template that are rendered. */
type Parts = Pick<Template, "subject" | "compiledHtml" | "text">

/**
 * Renders subject, html and text. Variables can be named `{{ name }}` and `{{ variables.name }}`, `others` by their name
 * where no variable has it. They are escaped in html, and written as they are in subject and text. sending.template_render_failed, on `variables`: a part takes more
 * time or memory than it may, or a filter cannot take its value.
 */
const renderTemplate = Effect.fnUntraced(function* (
  engine: TemplateEngine["Service"],
  template: Parts,
  variables: TemplateValues,
  others: TemplateValues
) {
  const values: TemplateValues = { ...others, ...variables, variables }
  const render = (part: string | null, escaping: "html" | "none") =>
    part === null ? Effect.succeed(null) : engine.render(part, values, escaping)
  return yield* Effect.all({
    subject: Effect.map(engine.render(template.subject, values, "none"), oneLine),
    html: render(template.compiledHtml, "html"),
    text: render(template.text, "none")
  }).pipe(
    // A template that was saved parses; one that no longer does was saved by another version.
    Effect.mapError(() => Problem.of("sending.template_render_failed", "variables"))
  ) satisfies Effect.Effect<RenderedTemplate, Problem>
})

/** A template with the variables of one email. */
export interface Render {
  readonly template: Parts
  readonly variables: TemplateValues
}

/**
 * A function that renders templates of an account, each with its variables and with the items of the catalogue its parts
 * name as `item` and `recommend`; a variable of that name goes before. At most two reads for all; each fails by itself.
 */
export const makeTemplateRenderer = Effect.gen(function* () {
  const engine = yield* TemplateEngine
  const { itemsForTemplates } = yield* TemplateItems
  return Effect.fnUntraced(function* (accountId: string, renders: ReadonlyArray<Render>) {
    const items = yield* itemsForTemplates(
      accountId,
      renders.map(({ template, variables }) => ({
        templates: [template.subject, template.compiledHtml, template.text].filter((part) => part !== null),
        values: { ...variables, variables }
      }))
    )
    return yield* Effect.forEach(renders, ({ template, variables }, index) =>
      Effect.result(renderTemplate(engine, template, variables, { ...items[index]! }))
    )
  })
})

/** A subject is one line: a gap with a control in it becomes a space. */
const oneLine = (text: string): string =>
  text.replaceAll(gaps, (gap) => (controls.test(gap) ? " " : gap)).trim()
