/**
 * Translates messages of the service into German.
 *
 * @module
 */
import { fieldName, translation } from "../../lib/said.ts"
import { alertsDe } from "./alertsDe.ts"
import { fieldsDe, phrasesDe, saidDe } from "./saidDe.ts"
import { leadsDe, statesDe } from "./statesDe.ts"

/** The name of an API field on the screens. */
export const nameOf = (field: string): string => fieldName(field, fieldsDe)

const sentenceDe = translation("de", { ...saidDe, ...alertsDe, ...statesDe }, phrasesDe, nameOf)

/** Translates a message into German. A server's reply that follows it is kept unchanged. */
export const translate = (text: string): string => {
  const lead = Object.keys(leadsDe).find((one) => text.includes(one))
  if (lead === undefined) return sentenceDe(text)
  const at = text.indexOf(lead)
  return sentenceDe(text.slice(0, at)) + leadsDe[lead]! + text.slice(at + lead.length)
}
