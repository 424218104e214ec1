/**
 * Validates and renders Liquid templates. Templates are data, never code: a render reads no file, makes no request, and is
 * bounded in time and memory.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"
import type { Json } from "../shared/Json.ts"

/** A template that does not parse. */
export class TemplateInvalid extends Data.TaggedError("TemplateInvalid")<{
  /** What is wrong, in English, without any content of the template. */
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}> {}

/** A render took too much time or memory, or passed a filter a value that it cannot process. */
export class RenderFailed extends Data.TaggedError("RenderFailed")<{ readonly message: string }> {}

/** How values are rendered: escaped for HTML, or unchanged. */
export type Escaping = "html" | "none"

/** The values that a template can use, by their top-level name: `variables`, `contact`, `event`, `item`... */
export type TemplateValues = Readonly<Record<string, Json>>

/** The port of templates. */
export class TemplateEngine extends Context.Service<
  TemplateEngine,
  {
    /** Checks that a template parses. */
    readonly check: (template: string) => Effect.Effect<void, TemplateInvalid>
    /** Compiles MJML to HTML; Liquid in it stays unchanged. */
    readonly compileMjml: (mjml: string) => Effect.Effect<string, TemplateInvalid>
    /** Whether a render certainly takes so little time that it may be done in a transaction. */
    readonly isFast: (template: string, values: TemplateValues) => boolean
    /**
     * Renders a template. Unknown values, lists and objects render as empty (docs/contributing/decisions.md 4). Parsed templates
     * are cached.
     */
    readonly render: (
      template: string,
      values: TemplateValues,
      escaping: Escaping
    ) => Effect.Effect<string, TemplateInvalid | RenderFailed>
  }
>()("svc/ports/TemplateEngine") {}
