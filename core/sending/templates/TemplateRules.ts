/**
 * Validates the fields of a template and compiles its sources.
 *
 * @module
 */
import { Context, Effect, Layer, Result } from "effect"
import { TemplateEngine, type TemplateInvalid } from "../../ports/TemplateEngine.ts"
import { type Issue, issue, Issues, Problem } from "../../shared/Problem.ts"
import { checkText, isStorable, type Maybe, formats, oneOf } from "../../shared/Validate.ts"
import { blocksMjml } from "./BlockMjml.ts"
import { type BlockDocument, parseBlocks, textsOf } from "./BlockDocument.ts"
import { awaitAhead, checkAhead, compileAhead } from "./RendersAhead.ts"
import { type TemplateContent, type TemplateFormat, templateFormats } from "../../model/Template.ts"

/** A template as submitted. In a change, fields that are left out keep their values. */
export interface TemplateWrite {
  readonly name: string
  readonly subject: string
  /** Html if a new template has none. */
  readonly format?: Maybe<TemplateFormat>
  /** MJML, or a document of blocks as JSON. Only for the formats Mjml and Blocks. */
  readonly source?: Maybe<string>
  readonly preheader?: Maybe<string>
  /** HTML, or MJML if its root element is `<mjml>`; null for none. Only for the format Html. */
  readonly html?: Maybe<string>
  readonly text?: Maybe<string>
}

/** The maximum number of characters of a name. */
export const maxTemplateName = 200
/** The maximum number of characters of a subject's source. The rendered subject has its own limit. */
export const maxTemplateSubject = 1000
/** The maximum number of characters of a preheader's source. */
export const maxTemplatePreheader = 500
/** The maximum number of characters of the HTML, of MJML and its compiled form, and of the text. */
export const maxTemplateBody = 500_000

/** Validates and compiles templates. */
export class TemplateCheck extends Context.Service<TemplateCheck>()("svc/sending/TemplateCheck", {
  make: Effect.gen(function* () {
    const engine = yield* TemplateEngine

    const parse = (source: string | null, field: string): Effect.Effect<ReadonlyArray<Issue>> =>
      source === null
        ? Effect.succeed([])
        : Effect.map(Effect.result(checkAhead(engine, source)), (parsed) =>
            Result.isFailure(parsed) ? [issueOf(parsed.failure, field)] : []
          )

    /**
     * The issues of a document's texts whose Liquid does not parse. If each text parses by itself, the issues found in the
     * whole document.
     */
    const placed = Effect.fnUntraced(function* (document: BlockDocument, found: ReadonlyArray<Issue>) {
      for (const [path, text] of textsOf(document)) {
        const issues = yield* parse(text, path)
        if (issues.length > 0) return issues
      }
      return found
    })

    const compile = (html: string | null): Effect.Effect<string | null, TemplateInvalid> =>
      html === null || !isMjml(html) ? Effect.succeed(html) : compileAhead(engine, html)

    return {
      /**
       * Validates a template and compiles it. A field that the write leaves out is taken from `before`, except html and source
       * if the format changes. Fails with validation.* of each field, with sending.content_required without html, source and
       * text, and with sending.template_invalid with line and column on the field that does not parse. Issues in a document of
       * blocks have its paths, such as `source.blocks[2].href`. Compiling takes time, so this must not be called in a
       * transaction, unless that is run by `withAllAhead`.
       */
      check: Effect.fn("TemplateCheck.check")(function* (
        write: Partial<TemplateWrite>,
        before: TemplateContent | null
      ) {
        const fields = yield* Effect.fromResult(parseFields(write, before))
        const syntax = new Issues()
        const document =
          fields.format === "Blocks" && fields.source !== null
            ? yield* Effect.fromResult(parseBlocks(fields.source))
            : null
        const mjml = document === null ? fields.source : blocksMjml(document)
        for (const field of ["subject", "preheader", "html", "text"] as const) {
          for (const found of yield* parse(fields[field], field)) syntax.push(found)
        }
        const invalid = yield* parse(mjml, "source")
        for (const found of document === null || invalid.length === 0
          ? invalid
          : yield* placed(document, invalid)) {
          syntax.push(found)
        }
        yield* awaitAhead
        yield* Effect.fromResult(syntax.result(undefined))
        const [compiled, field] =
          fields.format === "Html"
            ? [compile(fields.html), "html"]
            : [mjml === null ? Effect.succeed(null) : compileAhead(engine, mjml), "source"]
        const compiledHtml = yield* Effect.mapError(
          compiled,
          (error) => new Problem({ issues: [issueOf(error, field)] })
        )
        yield* awaitAhead
        if (compiledHtml !== null && compiledHtml.length > maxTemplateBody) {
          return yield* Problem.of("validation.max_length", field, { max: maxTemplateBody })
        }
        return { ...fields, compiledHtml } satisfies TemplateContent
      })
    }
  })
}) {
  static readonly layer = Layer.effect(TemplateCheck, TemplateCheck.make)
}

const parseFields = (
  write: Partial<TemplateWrite>,
  before: TemplateContent | null
): Result.Result<Omit<TemplateContent, "compiledHtml">, Problem> => {
  const issues = new Issues()
  const name = checkLine(write.name, before?.name, "name", maxTemplateName, issues)
  const subject = checkLine(write.subject, before?.subject, "subject", maxTemplateSubject, issues)
  const format = write.format ?? before?.format ?? "Html"
  if (!templateFormats.includes(format)) {
    issues.add("validation.format", "format", null, { expected: oneOf(templateFormats) })
  }
  const preheader = checkLineOrNull(write.preheader, before?.preheader, issues)
  // The field that the format does not have must not be given, since its value would be lost.
  const bodies = { Html: "html", Mjml: "source", Blocks: "source" } as const
  const of = (field: "html" | "source"): string | null => {
    if (bodies[format] === field) {
      return checkBody(write[field], before?.format === format ? before[field] : null, field, issues)
    }
    if ((write[field] ?? null) !== null) {
      issues.add("validation.format", field, null, { expected: `absent where format is ${format}` })
    }
    return null
  }
  const [html, source] = [of("html"), of("source")]
  const text = checkBody(write.text, before?.text, "text", issues)
  if (html === null && source === null && text === null) {
    issues.add("sending.content_required", bodies[format] ?? "html")
  }
  return issues.result({ name, subject, format, source, preheader, html, text })
}

/** The issue of a field that does not parse. */
export const issueOf = ({ column, line, message }: TemplateInvalid, field: string): Issue =>
  issue("sending.template_invalid", field, { line, column }, { reason: message })

/** Whether HTML is MJML: its first element, after a declaration and comments, is `<mjml>`. */
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
  issues: Issues
): string => {
  if (value === undefined && before !== undefined) return before
  const text = checkText(value ?? "", field, max, issues)
  if (text === "") issues.add("validation.required", field)
  return text
}

const checkLineOrNull = (
  value: Maybe<string>,
  before: string | null | undefined,
  issues: Issues
): string | null => {
  if (value === undefined) return before ?? null
  const text = checkText(value ?? "", "preheader", maxTemplatePreheader, issues)
  return text === "" ? null : text
}

const checkBody = (
  value: Maybe<string>,
  before: string | null | undefined,
  field: string,
  issues: Issues
): string | null => {
  if (value === undefined) return before ?? null
  if (value === null || value.trim() === "") return null
  if (!isStorable(value)) issues.add("validation.format", field, null, { expected: formats.storable })
  else if (value.length > maxTemplateBody) {
    issues.add("validation.max_length", field, { max: maxTemplateBody })
  }
  return value
}
