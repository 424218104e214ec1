/**
 * The rules of the texts with which a company replaces those of the service on its hosted pages.
 *
 * @module
 */
import { Result } from "effect"
import type { TextsByKey } from "../../model/Account.ts"
import { Issues, type Problem } from "../../shared/Problem.ts"
import { checkText, formats, type Maybe, oneOf } from "../../shared/Validate.ts"
import { pageLanguages, textChoices } from "./PageLanguages.ts"

/** The most characters of a text. */
export const maxOwnText = 1_000

/** The most languages in which a company has texts and the service has none. */
export const maxOwnLanguages = 20

/** The submitted texts of a language. An empty text stands for that of the service. */
export type GivenTexts = Readonly<Record<string, Maybe<string>>>

/** A company's own texts of a language, validated. */
export interface OwnTextsWrite {
  /** The primary part of its tag, such as `pt`. */
  readonly language: string
  readonly texts: TextsByKey
}

const languagePattern = /^[a-z]{2,3}$/

/** A name in braces, which stands for a value. */
const placeholders = /\{[^{}\s]*\}/g

/** Validates a company's own texts of a language. */
export const parseOwnTexts = (tag: string, given: GivenTexts): Result.Result<OwnTextsWrite, Problem> => {
  const issues = new Issues()
  const language = tag.toLowerCase()
  if (!languagePattern.test(language)) {
    issues.add("validation.format", "language", null, {
      expected: "a language of two or three letters, such as pt"
    })
  }
  const choices = new Map(textChoices(language).map((choice) => [choice.key, choice]))
  const texts: Record<string, string> = {}
  for (const [key, value] of Object.entries(given)) {
    const field = `texts.${key}`
    const choice = choices.get(key)
    if (choice === undefined) {
      issues.add("validation.unknown_field", field)
      continue
    }
    const text = value == null ? "" : checkText(value, field, maxOwnText, issues)
    if (/[\u0000-\u001f\u007f]/.test(text)) {
      issues.add("validation.format", field, null, { expected: formats.oneLine })
    }
    const { placeholder } = choice
    for (const [name] of text.matchAll(placeholders)) {
      if (name !== placeholder) {
        const expected =
          placeholder === null
            ? "a text without braces"
            : `a text with no other braces than ${oneOf([placeholder])}`
        issues.add("validation.format", field, null, { expected })
      }
    }
    if (text !== "") texts[key] = text
  }
  return issues.result({ language, texts })
}

/** Whether only companies, and not the service, have texts in a language. */
export const isOwnLanguage = (language: string): boolean => !pageLanguages.includes(language)
