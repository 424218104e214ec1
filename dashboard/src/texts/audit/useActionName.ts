/**
 * What the entries of the audit log say, which only the screens that show them load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import { actionName } from "../../lib/audit.ts"
import type { Language } from "../texts.ts"
import { auditDe } from "./auditDe.ts"
import { auditEn, type AuditTexts } from "./auditEn.ts"

const texts: Readonly<Record<Language, AuditTexts>> = { en: auditEn, de: auditDe }

/** Names actions in the reader's language. */
export const useActionName = (): ((action: string) => string) => {
  const words = texts[useReader().language]
  return (action) => actionName(action, words)
}

/** Names the things that entries are about, by the first part of an action. */
export const useThingName = (): ((kind: string) => string) => {
  const { things } = texts[useReader().language]
  return (kind) => things[kind] ?? kind
}
