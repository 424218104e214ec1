/**
 * Checks, compiles and renders templates, in functions that threads can run.
 *
 * @module
 */
import type { Escaping } from "../../core/ports/TemplateEngine.ts"
import type { ThreadFunction, ThreadTask } from "../../core/ports/Threads.ts"
import * as Liquid from "./Liquid.ts"
import { compileMjml } from "./Mjml.ts"

/** The result for a template: text, or the reason why there is none. */
export type TemplateResult =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Invalid"; readonly message: string; readonly line: number; readonly column: number }
  | { readonly _tag: "Failed"; readonly message: string }

/** The input of a render: a template and its values. */
export interface RenderInput extends Liquid.RenderOptions {
  readonly template: string
}

/** The maximum number of parsed templates that are kept, and of the characters of their sources. */
const maxKept = 500
const maxKeptLength = 4_000_000

/**
 * The most recently used parsed templates. Effect's Cache is not used because it limits the number of its entries, but not their
 * size.
 */
class ParsedTemplates {
  readonly #kept = new Map<string, Liquid.Parsed>()
  #length = 0

  /** The parsed template. Throws `Invalid`. */
  get(template: string, escaping: Escaping): Liquid.Parsed {
    const key = `${escaping} ${template}`
    const known = this.#kept.get(key)
    const parsed = known ?? Liquid.parse(template, escaping)
    // Moves a known template to the end, so that it is removed last.
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

const templates = new ParsedTemplates()

/** The result of a function. Anything that it throws, except the errors of `Liquid`, is a defect. */
const resultOf = (run: () => string): TemplateResult => {
  try {
    return { _tag: "Text", text: run() }
  } catch (error) {
    if (error instanceof Liquid.Invalid) {
      const { column, line, message } = error
      return { _tag: "Invalid", message, line, column }
    }
    if (error instanceof Liquid.Failed) return { _tag: "Failed", message: error.message }
    throw error
  }
}

/** Parses a template. The resulting text is empty. */
export const check = (template: string): TemplateResult =>
  resultOf(() => {
    Liquid.parse(template, "html")
    return ""
  })

/** Compiles MJML. */
export const compile = (mjml: string): TemplateResult =>
  resultOf(() => {
    Liquid.parse(mjml, "html")
    const html = compileMjml(mjml)
    try {
      Liquid.parse(html, "html")
    } catch {
      // The Liquid is valid in the source, but not in the order in which MJML outputs it.
      throw new Liquid.Invalid("tags that do not stay together in MJML", 1, 1)
    }
    return html
  })

/** Renders a template. */
export const render = ({ template, ...options }: RenderInput): TemplateResult =>
  resultOf(() => Liquid.render(templates.get(template, options.escaping), options))

const inThread =
  <Input>(run: (input: Input) => TemplateResult): ThreadFunction<Input, TemplateResult> =>
  (input) => ({ value: run(input), transfer: [] })

export const checkInThread = inThread(check)
export const compileInThread = inThread(compile)
export const renderInThread = inThread(render)

const module = import.meta.url

/** Declares the functions as tasks for threads. A render checks its own limit; if it cannot, its thread is ended. */
export const tasks = {
  check: { module, name: "checkInThread", maxMillis: 3_000 } as ThreadTask<string, TemplateResult>,
  compile: { module, name: "compileInThread", maxMillis: 3_000 } as ThreadTask<string, TemplateResult>,
  render: {
    module,
    name: "renderInThread",
    maxMillis: 2 * Liquid.renderMillis
  } as ThreadTask<RenderInput, TemplateResult>
}
