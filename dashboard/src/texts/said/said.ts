/**
 * What the service says, in the reader's language. It is loaded with the first sentence that is shown in another one than English.
 *
 * @module
 */
import type { ApiError } from "../../api/errors.ts"
import { translation } from "../../lib/said.ts"
import type { Language } from "../texts.ts"
import { alertsDe } from "./alertsDe.ts"
import { phrasesDe, saidDe } from "./saidDe.ts"
import { leadsDe, statesDe } from "./statesDe.ts"

const sentenceDe = translation("de", { ...saidDe, ...alertsDe, ...statesDe }, phrasesDe)

/** A sentence in German, with the words of a server that follow it as they are. */
const german = (text: string): string => {
  const lead = Object.keys(leadsDe).find((one) => text.includes(one))
  if (lead === undefined) return sentenceDe(text)
  const at = text.indexOf(lead)
  return sentenceDe(text.slice(0, at)) + leadsDe[lead]! + text.slice(at + lead.length)
}

const translations: Readonly<Record<Language, (sentence: string) => string>> = {
  en: (sentence) => sentence,
  de: german
}

/** The translation of the service's sentences. */
export const saidIn = (language: Language): ((sentence: string) => string) => translations[language]

type Messages = Pick<ApiError, "details" | "fields" | "message">

/** The messages of an error in a language. */
export const messagesIn = (language: Language, { details, fields, message }: Messages): Messages => {
  const said = saidIn(language)
  const { hint } = details
  return {
    message: said(message),
    details: typeof hint === "string" ? { ...details, hint: said(hint) } : details,
    fields: Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, said(text)]))
  }
}
