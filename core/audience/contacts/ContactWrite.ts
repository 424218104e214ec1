/**
 * Parses a submitted contact into a command. It validates a write in isolation; ContactRules decides what depends on stored
 * contacts.
 *
 * An absent field keeps its value; null or an empty string clears a profile field. Null counts as absent for `id`, `externalId`,
 * `email`, `attributes`, `consent` and `topics`. Source: docs/contributing/public-api.md "Contact write shape",
 * docs/contributing/decisions.md 2 and 3.
 *
 * @module
 */
import type { Result } from "effect"
import type { AttributePatch, ContactWrite, TagPatch, TopicPatch } from "../../model/ContactInput.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { isIpAddress, parseCountry, parseLanguage } from "../../shared/Locale.ts"
import { Issues, Problem } from "../../shared/Problem.ts"
import {
  checkText,
  isAhead,
  isStorable,
  maxClockSkew,
  type Maybe,
  parseDateTime,
  formats,
  oneOf
} from "../../shared/Validate.ts"
import type { ConsentProof, ConsentTrigger } from "../../model/Consent.ts"
import { maxExternalId } from "./Reference.ts"

/** The profile fields that a write can set or clear. */
export interface ProfilePatch {
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly phone?: string | null
  readonly city?: string | null
  readonly countryCode?: string | null
  readonly language?: string | null
}

/** A write that is valid in isolation. */
export interface ContactCommand {
  readonly id: string | null
  readonly externalId: string | null
  /** Normalized. */
  readonly email: string | null
  readonly profile: ProfilePatch
  readonly consent: ConsentTrigger | null
  /** The proof, submitted with any basis including Subscribed; null if there is none. */
  readonly proof: ConsentProof | null
  /** Not validated yet, since the valid keys and values depend on the account's contact fields. */
  readonly attributes: AttributePatch
  readonly topics: TopicPatch
  readonly tags?: TagPatch
}

/** The most characters of a name or a city. */
export const maxName = 200
/** The most characters of a phone number (docs/contributing/decisions.md 2). */
export const maxPhone = 40
/** The most characters of a proof's text, which is what a person agreed to. */
export const maxProofText = 10_000

const maxShort = 100

/** Parses a write made at `now` (epoch milliseconds). Returns the command, or a problem with every issue found. */
export const parseContactWrite = (
  write: ContactWrite,
  now: number
): Result.Result<ContactCommand, Problem> => {
  const issues = new Issues()
  const { attributes, tags, topics } = write
  return issues.result({
    id: parseId(write.id, issues),
    externalId: parseExternalId(write.externalId, issues),
    email: parseAddress(write.email, issues),
    profile: parseProfile(write, issues),
    ...parseConsent(write.consent, now, issues),
    attributes: attributes ?? {},
    topics: topics ?? {},
    ...(tags === undefined ? {} : { tags })
  })
}

/** The most writes in a batch. */
export const maxBatch = 1000

/** audience.batch_too_large for a batch with too many writes; undefined if the size is allowed. */
export const batchSizeProblem = (size: number): Problem | undefined =>
  size > maxBatch
    ? Problem.of("audience.batch_too_large", "contacts", { max: maxBatch }, { found: String(size) })
    : undefined

const parseId = (value: Maybe<string>, issues: Issues): string | null => {
  if (value == null) return null
  const id = value.trim().toLowerCase()
  if (!isUuid(id)) issues.add("validation.format", "id", null, { expected: formats.uuid })
  return id
}

const parseExternalId = (value: Maybe<string>, issues: Issues): string | null => {
  if (value == null) return null
  const externalId = checkText(value, "externalId", maxExternalId, issues)
  if (externalId === "") issues.add("validation.min_length", "externalId", { min: 1 })
  return externalId
}

const parseAddress = (value: Maybe<string>, issues: Issues): string | null => {
  if (value == null) return null
  const email = parseEmail(value)
  if (email === null) issues.add("validation.email", "email")
  return email
}

const parseProfile = (write: ContactWrite, issues: Issues): ProfilePatch => {
  const profile: { -readonly [Key in keyof ProfilePatch]: ProfilePatch[Key] } = {}
  for (const [field, max] of profileStrings) {
    const value = write[field]
    if (value !== undefined)
      profile[field] = value === null ? null : checkText(value, field, max, issues) || null
  }
  for (const [field, parse, expected] of profileCodes) {
    const value = write[field]
    if (value === undefined) continue
    const code = value === null || value.trim() === "" ? null : parse(value)
    if (code === null && value !== null && value.trim() !== "") {
      issues.add("validation.format", field, null, { expected })
    }
    profile[field] = code
  }
  return profile
}

const profileStrings = [
  ["firstName", maxName],
  ["lastName", maxName],
  ["phone", maxPhone],
  ["city", maxName]
] as const

const profileCodes = [
  ["countryCode", parseCountry, formats.country],
  ["language", parseLanguage, formats.language]
] as const

const parseConsent = (
  consent: ContactWrite["consent"],
  now: number,
  issues: Issues
): { consent: ConsentTrigger | null; proof: ConsentProof | null } => {
  if (consent == null) return { consent: null, proof: null }
  const proof = parseProof(consent.proof ?? {}, now, issues)
  const { basis } = consent
  if (basis === "Customer" || basis === "Unsubscribed") return { consent: { _tag: basis }, proof }
  if (basis === "Subscribed" && proof !== null) return { consent: { _tag: basis, proof }, proof }
  if (basis === "Subscribed") issues.add("audience.consent_proof_required", "consent.proof.text")
  else {
    issues.add("validation.format", "consent.basis", null, {
      expected: oneOf(["Customer", "Subscribed", "Unsubscribed"])
    })
  }
  return { consent: null, proof: null }
}

type ProofWrite = NonNullable<NonNullable<NonNullable<ContactWrite["consent"]>["proof"]>>

/** The proof; null if it has no text, which is required. */
const parseProof = (proof: ProofWrite, now: number, issues: Issues): ConsentProof | null => {
  const short = (value: Maybe<string>, name: string): string | null =>
    value == null ? null : checkText(value, `consent.proof.${name}`, maxShort, issues) || null
  const textVersion = short(proof.textVersion, "textVersion")
  const locale = short(proof.locale, "locale")
  const ipAddress = short(proof.ipAddress, "ipAddress")
  if (ipAddress !== null && isStorable(ipAddress) && !isIpAddress(ipAddress)) {
    issues.add("validation.format", "consent.proof.ipAddress", null, { expected: formats.ipAddress })
  }
  const givenAt = proof.givenAt == null ? null : parseDateTime(proof.givenAt)
  if (proof.givenAt != null && givenAt === null)
    issues.add("validation.format", "consent.proof.givenAt", null, { expected: formats.dateTime })
  if (givenAt !== null && isAhead(givenAt, now)) {
    issues.add("validation.range", "consent.proof.givenAt", { max: now + maxClockSkew }, { latest: "now" })
  }
  const text = proof.text == null ? "" : checkText(proof.text, "consent.proof.text", maxProofText, issues)
  return text === "" ? null : { text, textVersion, locale, ipAddress, givenAt }
}
