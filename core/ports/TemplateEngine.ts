/**
 * Checks and renders templates: Liquid, which is data and never code. A render reads no file, makes no request, and is
 * bounded in time and memory.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"
import type { Json } from "../shared/Json.ts"

/** A template that does not parse. */
export class TemplateInvalid extends Data.TaggedError("TemplateInvalid")<{
  /** What is wrong, in English, without the template's text. */
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}> {}

/** A render that took more time or memory than it may, or called a filter with what it cannot take. */
export class RenderFailed extends Data.TaggedError("RenderFailed")<{ readonly message: string }> {}

/** How values are written out: escaped for HTML, or as they are. */
export type Escaping = "html" | "none"

/** What values a template may name, by their first name: `variables`, `contact`, `event`, `item`... */
export type TemplateValues = Readonly<Record<string, Json>>

/** The port of templates. */
export class TemplateEngine extends Context.Service<
  TemplateEngine,
  {
    /** Whether a template parses. */
    readonly check: (template: string) => Effect.Effect<void, TemplateInvalid>
    /** Turns MJML into HTML; Liquid in it stays as it is. */
    readonly compileMjml: (mjml: string) => Effect.Effect<string, TemplateInvalid>
    /**
     * Renders a template. What is not known renders empty, and so do lists and objects (decisions 4). Parsed templates
     * are kept for the next time.
     */
    readonly render: (
      template: string,
      values: TemplateValues,
      escaping: Escaping
    ) => Effect.Effect<string, TemplateInvalid | RenderFailed>
  }
>()("svc/ports/TemplateEngine") {}
