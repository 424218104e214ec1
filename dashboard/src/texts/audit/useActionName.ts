/**
 * The texts for entries of the audit log. Only the screens that show entries load them.
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

/** Names the kinds of things that entries concern. The kind is the first part of an action. */
export const useThingName = (): ((kind: string) => string) => {
  const { things } = texts[useReader().language]
  return (kind) => things[kind] ?? kind
}
