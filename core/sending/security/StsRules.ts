/**
 * Parses MTA-STS records and policies, and matches mail servers against them (RFC 8461, 3 and 4). Pure and total.
 *
 * @module
 */
import type { StsMode, StsRules } from "../../model/StsPolicy.ts"

/** The longest lifetime of a policy, seconds: a year (RFC 8461, 3.2). */
export const maxStsAge = 31_557_600

/** The maximum number of characters of a policy. */
const maxPolicy = 65_536

/** The maximum number of mail servers that are read of a policy, far more than domains have. */
const maxServers = 500

/** The id that a domain announces at `_mta-sts`. Null if there is no record, several, or an invalid one (RFC 8461, 3.1). */
export const announcedId = (texts: ReadonlyArray<string>): string | null => {
  const records = texts.filter((text) => /^v=STSv1[ \t]{0,20};/.test(text))
  if (records.length !== 1) return null
  const ids = records[0]!
    .slice(0, 4_096)
    .split(";")
    .map((field) => field.trim())
    .filter((field) => field.startsWith("id="))
  return ids.length === 1 ? (/^id=([A-Za-z0-9]{1,32})$/.exec(ids[0]!)?.[1] ?? null) : null
}

const modes: ReadonlySet<string> = new Set<StsMode>(["enforce", "testing", "none"])

const isPattern = (text: string): boolean =>
  text.length <= 255 && /^(?:\*\.)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,126}$/.test(text)

/**
 * Parses a policy; null for an invalid one. Unknown fields are skipped. If a field occurs twice, the first counts (RFC 8461,
 * 3.2).
 */
export const parseStsPolicy = (text: string): StsRules | null => {
  if (text.length > maxPolicy) return null
  const fields = new Map<string, string>()
  const mx: Array<string> = []
  for (const line of text.split("\n")) {
    const trimmed = line.trim()
    if (trimmed === "") continue
    const colon = trimmed.indexOf(":")
    const name = trimmed.slice(0, Math.max(0, colon)).trimEnd()
    const value = trimmed.slice(colon + 1).trim()
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/.test(name) || value === "") return null
    if (name === "mx") {
      const pattern = value.toLowerCase()
      if (!isPattern(pattern)) return null
      if (mx.length < maxServers) mx.push(pattern)
    } else if (!fields.has(name)) fields.set(name, value)
  }
  const mode = fields.get("mode") ?? ""
  const maxAge = fields.get("max_age") ?? ""
  if (fields.get("version") !== "STSv1" || !modes.has(mode) || !/^\d{1,10}$/.test(maxAge)) return null
  if (mx.length === 0 && mode !== "none") return null
  return { mode: mode as StsMode, mx, maxAge: Math.min(Number(maxAge), maxStsAge) }
}

/** Whether a policy includes a mail server. `*.` stands for exactly one label (RFC 8461, 4.1). */
export const namesServer = ({ mx }: StsRules, host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, "")
  const parent = name.slice(name.indexOf(".") + 1)
  return mx.some((pattern) =>
    pattern.startsWith("*.") ? name.includes(".") && parent === pattern.slice(2) : name === pattern
  )
}
