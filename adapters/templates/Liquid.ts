/**
 * Parses and renders Liquid with liquidjs, as data and never as code. No tag reads a file, only own properties of values can be
 * read, and the time and memory of a render are limited.
 *
 * @module
 */
import { Liquid, type Template } from "liquidjs"
import type { Escaping, TemplateValues } from "../../core/ports/TemplateEngine.ts"

// Does not use the port's errors: threads load this module, and `effect` would be most of what they load.

/** A template cannot be parsed. */
export class Invalid extends Error {
  readonly line: number
  readonly column: number

  constructor(message: string, line: number, column: number) {
    super(message)
    this.line = line
    this.column = column
  }
}

/** A render has no result. */
export class Failed extends Error {}

/** A template parsed for one kind of escaping. */
export type Parsed = ReadonlyArray<Template>

/** The maximum number of tags and outputs of a template. The cost of parsing grows faster than their number. */
export const maxMarks = 5000
/**
 * The wall-clock limit of a render, in milliseconds, checked between its steps. An ordinary template takes a few milliseconds.
 * The limit is high enough not to reject it on an overloaded machine.
 */
export const renderMillis = 500
/** The maximum that a render may allocate: approximately the characters of all strings it creates. */
const memory = 5_000_000
/** The maximum length of a result, in characters. It is more than any part of an email may have. */
const maxResult = 1_000_000

/** Tags that read other templates. */
const readingTags = ["include", "render", "layout", "block"]

const dateFilters = ["date", "date_to_xmlschema", "date_to_rfc822", "date_to_string", "date_to_long_string"]

/** The key for the time of the render, for use by filters. Templates cannot refer to a symbol. */
const renderedAt = Symbol("renderedAt")

/** The `this` of a filter of liquidjs. */
interface FilterThis {
  readonly context: {
    readonly environments: object
    readonly memoryLimit: { readonly use: (count: number) => void }
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** The output of a value. Unknown values, lists and objects result in an empty string (docs/contributing/decisions.md 4). */
const write = (context: FilterThis["context"], value: unknown): string => {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return ""
  const text = String(value)
  context.memoryLimit.use(text.length)
  return text
}

const outputs: Readonly<Record<Escaping, (this: FilterThis, value: unknown) => string>> = {
  html(value) {
    return write(this.context, value).replaceAll(/[&<>"']/g, (character) => entities[character]!)
  },
  none(value) {
    return write(this.context, value)
  }
}

const engineFor = (escaping: Escaping): Liquid => {
  const engine = new Liquid({
    outputEscape: outputs[escaping],
    ownPropertyOnly: true,
    strictFilters: true,
    templates: {},
    // Not the time zone of the machine, so that a template is rendered in the same way everywhere.
    timezoneOffset: 0,
    locale: "en-US",
    renderLimit: renderMillis,
    memoryLimit: memory
  })
  for (const tag of readingTags) delete engine.tags[tag]
  // Like the original, which does not escape, except that the output of lists and objects is also empty here.
  engine.registerFilter("raw", {
    raw: true,
    handler(this: FilterThis, value: unknown) {
      return write(this.context, value)
    }
  })
  for (const name of dateFilters) {
    const original = engine.filters[name]
    if (typeof original !== "function") throw new Error(`liquidjs has no filter ${name}`)
    engine.registerFilter(name, function (value: unknown, ...more: ReadonlyArray<unknown>) {
      const { environments } = this.context as unknown as FilterThis["context"]
      const now = value === "now" || value === "today"
      return original.call(this, now ? Reflect.get(environments, renderedAt) : value, ...more)
    })
  }
  return engine
}

const engines: Readonly<Record<Escaping, Liquid>> = { html: engineFor("html"), none: engineFor("none") }

/** Parses a template. Throws `Invalid`. */
export const parse = (template: string, escaping: Escaping): Parsed => {
  const excess = markBeyond(template, maxMarks)
  if (excess !== null) throw invalidAt(template, excess, "more tags than a template may have")
  try {
    return engines[escaping].parse(template)
  } catch (error) {
    throw toInvalid(error)
  }
}

/** The inputs of a render. */
export interface RenderOptions {
  readonly values: TemplateValues
  readonly escaping: Escaping
  /** The time that templates can use as `now`, in epoch milliseconds. */
  readonly now: number
}

/** Renders a parsed template. Throws `Failed`. */
export const render = (parsed: Parsed, { escaping, now, values }: RenderOptions): string => {
  const scope: object = Object.assign(Object.create(null), values, { [renderedAt]: now / 1000 })
  let result: unknown
  try {
    result = engines[escaping].renderSync([...parsed], scope)
  } catch {
    // The original message may quote the template and the values.
    throw new Failed("the render failed or took more than it may")
  }
  // The result of a template without any text is undefined.
  const text = typeof result === "string" ? result : ""
  if (text.length > maxResult) throw new Failed("the result is too long")
  return text
}

/** The index of the first tag or output beyond a number of them; null if there are not more. */
const markBeyond = (template: string, most: number): number | null => {
  let count = 0
  for (const { index } of template.matchAll(/\{[{%]/g)) if (++count > most) return index
  return null
}

/** An error at an index of a template. */
export const invalidAt = (template: string, index: number, message: string): Invalid => {
  const before = template.slice(0, index)
  const lineStart = before.lastIndexOf("\n") + 1
  return new Invalid(message, before.split("\n").length, index - lineStart + 1)
}

interface LiquidFailure {
  readonly message?: unknown
  readonly token?: { readonly getPosition?: () => ReadonlyArray<number> }
}

const toInvalid = (error: unknown): Invalid => {
  const { message, token } = (typeof error === "object" && error !== null ? error : {}) as LiquidFailure
  const [line = 1, column = 1] = token?.getPosition?.() ?? []
  return new Invalid(kindOf(String(message)), line, column)
}

/** The kind of an error, without the source that the library's message quotes. */
const kindOf = (message: string): string => {
  if (message.startsWith("undefined filter")) return "unknown filter"
  if (/^tag .* not found/.test(message)) return "unknown tag"
  if (/ not closed/.test(message)) return "not closed"
  return message.startsWith("Maximum call stack") ? "nested too deep" : "syntax error"
}
