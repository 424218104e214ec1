/**
 * Rewords or translates messages that the service writes in English. Known sentences are templates with placeholders for their
 * values, such as `The account must have at most {max} relays.`
 *
 * @module
 */

/** The texts to show, by the English text of the service. */
export type Said = Readonly<Record<string, string>>

interface Pattern {
  readonly form: RegExp
  readonly text: string
}

const value = /\{\w+\}/g

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/**
 * The sentences with placeholders. Those with the most literal text come first, because a more general one may match the same
 * message.
 */
const patternsOf = (sentences: Said): ReadonlyArray<Pattern> =>
  Object.entries(sentences)
    .filter(([english]) => english.search(value) !== -1)
    .map(([english, text]) => ({ english, text, own: english.replaceAll(value, "").length }))
    .toSorted((one, other) => other.own - one.own)
    .map(({ english, text }) => {
      const seen = new Set<string>()
      const form = english.split(/(\{\w+\})/).map((part) => {
        const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
        if (name === undefined) return escaped(part)
        if (seen.has(name)) return String.raw`\k<${name}>`
        seen.add(name)
        return `(?<${name}>.+?)`
      })
      return { form: new RegExp(`^${form.join("")}$`, "s"), text }
    })

/**
 * The name of an API field on the screens, such as `Reply-to` for `variants[0].replyTo`. `names` has it by the last part of the path
 * or by the last two; otherwise, the name is the words of the last part. Anything that is no API field is returned unchanged.
 */
export const fieldName = (path: string, names: Said): string => {
  if (!/^[a-z][\w.[\]-]*$/.test(path)) return path
  const parts = path.replaceAll(/\[\d+\]/g, "").split(".")
  const [last = path] = parts.slice(-1)
  const named = [parts.slice(-2).join("."), last].find((one) => Object.hasOwn(names, one))
  if (named !== undefined) return names[named]!
  const words = last.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Makes the translator for a language. An unknown sentence is returned unchanged. `nameOf` names fields, values that are known
 * phrases are translated, and numbers are formatted for the language.
 */
export const translation = (
  language: string,
  sentences: Said,
  phrases: Said,
  nameOf: (field: string) => string
) => {
  let patterns: ReadonlyArray<Pattern> | null = null
  const known = (texts: Said, text: string): string | undefined =>
    Object.hasOwn(texts, text) ? texts[text] : undefined
  const shown = (name: string, found: string): string =>
    name === "field"
      ? nameOf(found)
      : (known(phrases, found) ??
        (/^\d{1,3}(?:,\d{3})+$/.test(found)
          ? Number(found.replaceAll(",", "")).toLocaleString(language)
          : found))
  return (sentence: string): string => {
    const whole = known(sentences, sentence) ?? known(phrases, sentence)
    if (whole !== undefined) return whole
    patterns ??= patternsOf(sentences)
    for (const { form, text } of patterns) {
      const groups = form.exec(sentence)?.groups
      if (groups !== undefined)
        return text.replaceAll(value, (name) => shown(name.slice(1, -1), groups[name.slice(1, -1)] ?? name))
    }
    return sentence
  }
}
