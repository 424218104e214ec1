/**
 * A contact as customers write it, and the check that turns it into a command. One write is checked by itself; what
 * depends on stored contacts is decided in ContactRules.
 *
 * Source: public-api "Contact write shape", decisions 2 and 3. A field left out keeps its value; null or an empty
 * text clears a profile field. `id`, `externalId`, `email`, `attributes`, `consent` and `topics` sent as null count as
 * left out.
 *
 * @module
 */
import type { ContactWrite, TagPatch } from "../../model/ContactInput.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { isIpAddress, parseCountry, parseLanguage } from "../../shared/Locale.ts"
import { type Issue, issue, Problem } from "../../shared/Problem.ts"
import { checkText, isStorable, type Maybe, parseDateTime } from "../../shared/Validate.ts"
import type { ConsentProof, ConsentTrigger } from "../../model/Consent.ts"
import type { AttributePatch } from "../../model/ContactInput.ts"
import { maxExternalId } from "./Reference.ts"
import type { TopicPatch } from "../../model/ContactInput.ts"

/** The profile fields a write can set or clear. */
export interface ProfilePatch {
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly phone?: string | null
  readonly city?: string | null
  readonly countryCode?: string | null
  readonly language?: string | null
}

/** A write that is valid in itself. */
export interface ContactCommand {
  readonly id: string | null
  readonly externalId: string | null
  /** Normalized. */
  readonly email: string | null
  readonly profile: ProfilePatch
  readonly consent: ConsentTrigger | null
  /** Evidence that came with a basis other than Subscribed. */
  readonly proof: ConsentProof | null
  /** Not checked yet: what a key and a value may be depends on the account's fields. */
  readonly attributes: AttributePatch
  readonly topics: TopicPatch
  readonly tags?: TagPatch
}

/** The most characters of a name or a city. */
export const maxName = 200
/** The most characters of a phone number (decisions 2). */
export const maxPhone = 40
/** The most characters of the words a person agreed to. */
export const maxProofText = 10_000

const maxShort = 100

/** Checks a write. Answers the command, or every issue found. */
export const checkContactWrite = (write: ContactWrite): ContactCommand | Problem => {
  const issues: Array<Issue> = []
  const id = checkId(write.id, issues)
  const externalId = checkExternalId(write.externalId, issues)
  const email = checkEmail(write.email, issues)
  const profile = checkProfile(write, issues)
  const { consent, proof } = checkConsent(write.consent, issues)
  const { attributes, topics } = write
  return (
    Problem.from(issues) ?? {
      id,
      externalId,
      email,
      profile,
      consent,
      proof,
      attributes: attributes ?? {},
      topics: topics ?? {},
      ...(write.tags === undefined ? {} : { tags: write.tags })
    }
  )
}

/** The most writes of one batch. */
export const maxBatch = 1000

/** Why a batch of so many writes is refused as a whole: audience.batch_too_large; undefined when it is not. */
export const refuseBatchSize = (size: number): Problem | undefined =>
  size > maxBatch ? Problem.of("audience.batch_too_large", "contacts", { max: maxBatch }) : undefined

const checkId = (value: Maybe<string>, issues: Array<Issue>): string | null => {
  if (value == null) return null
  const id = value.trim().toLowerCase()
  if (!isUuid(id)) issues.push(issue("validation.format", "id"))
  return id
}

const checkExternalId = (value: Maybe<string>, issues: Array<Issue>): string | null => {
  if (value == null) return null
  const externalId = checkText(value, "externalId", maxExternalId, issues)
  if (externalId === "") issues.push(issue("validation.min_length", "externalId", { min: 1 }))
  return externalId
}

const checkEmail = (value: Maybe<string>, issues: Array<Issue>): string | null => {
  if (value == null) return null
  const email = parseEmail(value)
  if (email === null) issues.push(issue("validation.email", "email"))
  return email
}

const checkProfile = (write: ContactWrite, issues: Array<Issue>): ProfilePatch => {
  const profile: { -readonly [Key in keyof ProfilePatch]: ProfilePatch[Key] } = {}
  for (const [field, max] of profileTexts) {
    const value = write[field]
    if (value !== undefined)
      profile[field] = value === null ? null : checkText(value, field, max, issues) || null
  }
  for (const [field, parse] of profileCodes) {
    const value = write[field]
    if (value === undefined) continue
    const code = value === null || value.trim() === "" ? null : parse(value)
    if (code === null && value !== null && value.trim() !== "") issues.push(issue("validation.format", field))
    profile[field] = code
  }
  return profile
}

const profileTexts = [
  ["firstName", maxName],
  ["lastName", maxName],
  ["phone", maxPhone],
  ["city", maxName]
] as const

const profileCodes = [
  ["countryCode", parseCountry],
  ["language", parseLanguage]
] as const

const checkConsent = (
  consent: ContactWrite["consent"],
  issues: Array<Issue>
): { consent: ConsentTrigger | null; proof: ConsentProof | null } => {
  if (consent == null) return { consent: null, proof: null }
  const proof = checkProof(consent.proof ?? {}, issues)
  switch (consent.basis) {
    case "Subscribed":
      if (proof === null) {
        issues.push(issue("audience.consent_proof_required", "consent.proof.text"))
        return { consent: null, proof: null }
      }
      return { consent: { _tag: "Subscribed", proof }, proof }
    case "Customer":
    case "Unsubscribed":
      return { consent: { _tag: consent.basis }, proof }
    default:
      issues.push(issue("validation.format", "consent.basis"))
      return { consent: null, proof: null }
  }
}

type ProofWrite = NonNullable<NonNullable<NonNullable<ContactWrite["consent"]>["proof"]>>

/** The proof, or null when its text, which makes it one, is missing. */
const checkProof = (proof: ProofWrite, issues: Array<Issue>): ConsentProof | null => {
  const short = (value: Maybe<string>, name: string): string | null =>
    value == null ? null : checkText(value, `consent.proof.${name}`, maxShort, issues) || null
  const textVersion = short(proof.textVersion, "textVersion")
  const locale = short(proof.locale, "locale")
  const ipAddress = short(proof.ipAddress, "ipAddress")
  if (ipAddress !== null && isStorable(ipAddress) && !isIpAddress(ipAddress)) {
    issues.push(issue("validation.format", "consent.proof.ipAddress"))
  }
  const givenAt = proof.givenAt == null ? null : parseDateTime(proof.givenAt)
  if (proof.givenAt != null && givenAt === null)
    issues.push(issue("validation.format", "consent.proof.givenAt"))
  const text = proof.text == null ? "" : checkText(proof.text, "consent.proof.text", maxProofText, issues)
  return text === "" ? null : { text, textVersion, locale, ipAddress, givenAt }
}
