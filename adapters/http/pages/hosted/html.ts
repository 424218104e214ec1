/**
 * Builds HTML with every value escaped: the template tag `html` escapes each value except markup that it made itself.
 *
 * @module
 */

/** Markup that is safe to send. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!)

type Value = string | Html | ReadonlyArray<Html>

const markupOf = (value: Value): string => {
  if (typeof value === "string") return escape(value)
  return value instanceof Html ? value.markup : value.map((one) => one.markup).join("")
}

/** A template of markup. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(
    parts.map((part, index) => part + (index < values.length ? markupOf(values[index]!) : "")).join("")
  )
