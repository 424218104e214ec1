/**
 * Says in another language what the service says in English: its sentences are known with their values left open, as in
 * `The account must have at most {max} relays.`
 *
 * @module
 */

/** Texts in another language by the English ones. */
export type Said = Readonly<Record<string, string>>

interface Pattern {
  readonly form: RegExp
  readonly text: string
}

const value = /\{\w+\}/g

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The sentences with values, those with more words of their own first: others may match what is meant for these. */
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
 * Makes the translation into a language. A sentence that is not known stays as it is; of its values, those that are phrases are
 * translated and numbers are written as the language does.
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
