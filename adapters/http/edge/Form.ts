/**
 * Bodies of forms: application/x-www-form-urlencoded.
 *
 * @module
 */

/** The values of a form by name: a text, or of a name that is repeated all of them. */
export type Form = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Parses a form. Whatever the bytes are, they are some form. */
export const parseForm = (bytes: Uint8Array): Form => {
  const parameters = new URLSearchParams(new TextDecoder().decode(bytes))
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    })
  )
}

/** All values of a name. */
export const valuesOf = (form: Form, name: string): ReadonlyArray<string> => {
  const value = Object.hasOwn(form, name) ? form[name] : undefined
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
}
