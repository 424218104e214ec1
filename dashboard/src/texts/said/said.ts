/**
 * Translates messages of the service into the reader's language and the terms of the screens. The module is loaded when the first
 * message is shown.
 *
 * @module
 */
import type { ApiError } from "../../api/errors.ts"
import type { Language } from "../texts.ts"

/** The translator for a language. */
export interface Words {
  /** Translates a message of the service. */
  readonly translate: (sentence: string) => string
  /** The name of an API field on the screens. */
  readonly nameOf: (field: string) => string
}

const languages: Readonly<Record<Language, () => Promise<Words>>> = {
  en: () => import("./english.ts"),
  de: () => import("./german.ts")
}

/** Loads the translator for a language. */
export const wordsIn = (language: Language): Promise<Words> => languages[language]()

type Messages = Pick<ApiError, "details" | "fields" | "message">

/** The messages of an error in a language. */
export const messagesIn = async (
  language: Language,
  { details, fields, message }: Messages
): Promise<Messages> => {
  const { translate } = await wordsIn(language)
  const { hint } = details
  return {
    message: translate(message),
    details: typeof hint === "string" ? { ...details, hint: translate(hint) } : details,
    fields: Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, translate(text)]))
  }
}
