/**
 * Creates new users, and validates the fields that a person enters.
 *
 * @module
 */
import { Result } from "effect"
import type { User } from "../model/User.ts"
import { isDisplayName } from "../shared/Mailbox.ts"
import { issue, Issues, type IssueSink, Problem } from "../shared/Problem.ts"
import { firstIdAt, timeOfId } from "../shared/Uuid.ts"
import { checkText, formats } from "../shared/Validate.ts"

/** The most characters of a user's name. */
export const maxUserName = 100

/** A user who was invited and has not set anything yet. */
export const newUser = (values: Pick<User, "id" | "email" | "createdAt"> & Partial<User>): User => ({
  name: null,
  language: null,
  timeZone: null,
  status: "Invited",
  isOperator: false,
  passwordHash: null,
  totpSecret: null,
  totpConfirmedAt: null,
  totpStep: null,
  recoveryCodes: [],
  passkeys: 0,
  lastSeenAt: null,
  ...values
})

/**
 * A new id whose time is random, between `from` and the time of `id`. A company that adds an address sees the user's id, and its
 * real time would reveal whether the address already belonged to a user.
 *
 * @param fraction from 0 to less than 1
 */
export const undatedId = (id: string, from: number, fraction: number): string => {
  const at = from + Math.floor(Math.max(0, timeOfId(id) - from) * fraction)
  return firstIdAt(at).slice(0, timeLength) + id.slice(timeLength)
}

/** The number of characters at the start of an id that contain its time. */
const timeLength = "01890a5d-ac96".length

/** Validates the name of a user; adds issues on `field`. */
export const checkName = (given: string, field: string, issues: IssueSink): string => {
  const name = checkText(given, field, maxUserName, issues)
  if (name === "") issues.push(issue("validation.required", field))
  else if (!isDisplayName(name)) {
    issues.push(issue("validation.format", field, null, { expected: formats.displayName }))
  }
  return name
}

/** Parses the name of a user. */
export const parseName = (given: string): Result.Result<string, Problem> => {
  const issues = new Issues()
  return issues.result(checkName(given, "name", issues))
}
