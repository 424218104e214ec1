/**
 * What a template has to be: the checks of its fields, and its sources turned into what is rendered.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { TemplateEngine, type TemplateInvalid } from "../../ports/TemplateEngine.ts"
import { type Issue, issue, Problem } from "../../shared/Problem.ts"
import { checkText, isStorable, type Maybe } from "../../shared/Validate.ts"
import type { Template } from "../../model/Template.ts"

/** A template as it is written; of a change, what is left out stays. */
export interface TemplateWrite {
  readonly name: string
  readonly subject: string
  /** HTML, or MJML when its root element is `<mjml>`; null for none. */
  readonly html?: Maybe<string>
  readonly text?: Maybe<string>
}

/** The fields of a template that its writer decides. */
export type TemplateContent = Pick<Template, "name" | "subject" | "html" | "compiledHtml" | "text">

/** The most characters of a name. */
export const maxTemplateName = 200
/** The most characters of a subject's source; what it renders to is held to the limit of subjects. */
export const maxTemplateSubject = 1000
/** The most characters of html, also of what MJML becomes, and of text. */
export const maxTemplateBody = 500_000

/**
 * A function that checks a template and compiles it; what a change leaves out is taken from `before`. validation.* of
 * each field; sending.content_required without html and text; sending.template_invalid with line and column on the
 * field that does not parse.
 */
export const makeTemplateCheck = Effect.map(TemplateEngine, (engine) => {
  const parse = (source: string | null, field: string): Effect.Effect<ReadonlyArray<Issue>> =>
    source === null ? Effect.succeed([]) : issuesOf(engine.check(source), field)

  const compile = (html: string | null): Effect.Effect<string | null, TemplateInvalid> =>
    html === null || !isMjml(html) ? Effect.succeed(html) : engine.compileMjml(html)

  return Effect.fnUntraced(function* (write: Partial<TemplateWrite>, before: TemplateContent | null) {
    const issues: Array<Issue> = []
    const name = checkLine(write.name, before?.name, "name", maxTemplateName, issues)
    const subject = checkLine(write.subject, before?.subject, "subject", maxTemplateSubject, issues)
    const html = checkBody(write.html, before?.html, "html", issues)
    const text = checkBody(write.text, before?.text, "text", issues)
    if (html === null && text === null) issues.push(issue("sending.content_required", "html"))
    if (issues.length > 0) return yield* refuse(issues)
    issues.push(...(yield* parse(subject, "subject")), ...(yield* parse(html, "html")))
    issues.push(...(yield* parse(text, "text")))
    if (issues.length > 0) return yield* refuse(issues)
    const compiledHtml = yield* Effect.mapError(compile(html), (error) => refusalOf([issueOf(error, "html")]))
    if (compiledHtml !== null && compiledHtml.length > maxTemplateBody) {
      return yield* Problem.of("validation.max_length", "html", { max: maxTemplateBody })
    }
    return { name, subject, html, compiledHtml, text } satisfies TemplateContent
  })
})

const refusalOf = (issues: ReadonlyArray<Issue>): Problem =>
  Problem.from(issues) ?? Problem.of("sending.template_invalid")

const refuse = (issues: ReadonlyArray<Issue>) => Effect.fail(refusalOf(issues))

const issueOf = ({ column, line }: TemplateInvalid, field: string): Issue =>
  issue("sending.template_invalid", field, { line, column })

const issuesOf = (
  check: Effect.Effect<void, TemplateInvalid>,
  field: string
): Effect.Effect<ReadonlyArray<Issue>> =>
  Effect.map(Effect.option(Effect.flip(check)), (error) =>
    Option.isSome(error) ? [issueOf(error.value, field)] : []
  )

/** Whether html is MJML: its first element, after a declaration and comments, is `<mjml>`. */
export const isMjml = (html: string): boolean => {
  let rest = html.trimStart()
  for (;;) {
    const end = rest.startsWith("<!--") ? "-->" : rest.startsWith("<?") ? "?>" : null
    if (end === null) return /^<mjml[\s/>]/i.test(rest)
    const at = rest.indexOf(end)
    if (at === -1) return false
    rest = rest.slice(at + end.length).trimStart()
  }
}

const checkLine = (
  value: string | undefined,
  before: string | undefined,
  field: string,
  max: number,
  issues: Array<Issue>
): string => {
  if (value === undefined && before !== undefined) return before
  const text = checkText(value ?? "", field, max, issues)
  if (text === "") issues.push(issue("validation.required", field))
  return text
}

const checkBody = (
  value: Maybe<string>,
  before: string | null | undefined,
  field: string,
  issues: Array<Issue>
): string | null => {
  if (value === undefined) return before ?? null
  if (value === null || value.trim() === "") return null
  if (!isStorable(value)) issues.push(issue("validation.format", field))
  else if (value.length > maxTemplateBody) {
    issues.push(issue("validation.max_length", field, { max: maxTemplateBody }))
  }
  return value
}
