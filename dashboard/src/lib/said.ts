/**
 * Translates messages that the service writes in English. Known sentences are templates with placeholders for their values, such
 * as `The account must have at most {max} relays.`
 *
 * @module
 */

/** Translations by the English text. */
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
 * Makes the translator for a language. An unknown sentence is returned unchanged. Values that are known phrases are translated,
 * and numbers are formatted for the language.
 */
export const translation = (language: string, sentences: Said, phrases: Said) => {
  let patterns: ReadonlyArray<Pattern> | null = null
  const known = (texts: Said, text: string): string | undefined =>
    Object.hasOwn(texts, text) ? texts[text] : undefined
  const shown = (found: string): string =>
    known(phrases, found) ??
    (/^\d{1,3}(?:,\d{3})+$/.test(found) ? Number(found.replaceAll(",", "")).toLocaleString(language) : found)
  return (sentence: string): string => {
    const whole = known(sentences, sentence) ?? known(phrases, sentence)
    if (whole !== undefined) return whole
    patterns ??= patternsOf(sentences)
    for (const { form, text } of patterns) {
      const groups = form.exec(sentence)?.groups
      if (groups !== undefined)
        return text.replaceAll(value, (name) => shown(groups[name.slice(1, -1)] ?? name))
    }
    return sentence
  }
}
