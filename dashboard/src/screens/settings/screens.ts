/**
 * The screens of settings, which are loaded together.
 *
 * @module
 */
export { AccountSettings } from "./AccountSettings.tsx"
export { AuditLog } from "./AuditLog.tsx"
export { CompanySettings } from "./CompanySettings.tsx"
export { Members } from "./Members.tsx"
export { Tokens } from "./Tokens.tsx"
export { Relays } from "./relays/Relays.tsx"
export { PageTexts } from "./texts/PageTexts.tsx"
