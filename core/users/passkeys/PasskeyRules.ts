/**
 * Reads the challenge to which a browser's response belongs, and validates the names of passkeys.
 *
 * @module
 */
import { Result } from "effect"
import { fromBase64Url } from "../../shared/Bytes.ts"
import { Issues, type Problem } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"

/** The most characters of a browser's client data, base64url. */
const maxClientData = 4_096

/** The fewest and the most characters of a passkey's name. */
export const passkeyNameLengths = { min: 1, max: 100 } as const

const textIn = (value: unknown, name: string): string | null => {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null
  const field = (value as Readonly<Record<string, unknown>>)[name]
  return typeof field === "string" ? field : null
}

/**
 * The challenge to which a `RegistrationResponseJSON` or `AuthenticationResponseJSON` claims to respond; null for anything else,
 * whatever its shape.
 */
export const challengeOf = (response: unknown): string | null => {
  if (typeof response !== "object" || response === null || !("response" in response)) return null
  const data = textIn(response.response, "clientDataJSON")
  if (data === null || data.length > maxClientData || !/^[\w-]+$/.test(data)) return null
  const parsed = Result.try(
    () => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64Url(data))) as unknown
  )
  const challenge = Result.isSuccess(parsed) ? textIn(parsed.success, "challenge") : null
  return challenge !== null && /^[\w-]{43}$/.test(challenge) ? challenge : null
}

/** The credential that a response claims to be from; null for anything else. */
export const credentialIdOf = (response: unknown): string | null => {
  const id = textIn(response, "id")
  return id !== null && /^[\w-]{1,1364}$/.test(id) ? id : null
}

/** Parses the name of a passkey. */
export const parsePasskeyName = (given: string): Result.Result<string, Problem> => {
  const issues = new Issues()
  const name = checkText(given, "name", passkeyNameLengths.max, issues)
  if (name.length < passkeyNameLengths.min) issues.add("validation.required", "name")
  return issues.result(name)
}
