/**
 * Creates new users, and validates the fields that a person enters.
 *
 * @module
 */
import { Result } from "effect"
import type { User } from "../model/User.ts"
import { isDisplayName } from "../shared/Mailbox.ts"
import { issue, Issues, type IssueSink, Problem } from "../shared/Problem.ts"
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
