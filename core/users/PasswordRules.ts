/**
 * The requirements for passwords (docs/contributing/people.md 2, NIST SP 800-63B-4): 12 to 200 characters of any kind, which do
 * not contain the user's address or the name of the service, and which are hard to guess.
 *
 * @module
 */
import { Result } from "effect"
import { productName } from "../kernel/Names.ts"
import { Problem } from "../shared/Problem.ts"
import { foldCase } from "../shared/Validate.ts"

/** The fewest and the most characters of a password. */
export const passwordLengths = { min: 12, max: 200 } as const

/** The lowest score of the estimator, from 0 to 4, that a password must reach. */
export const minScore = 3

/** The fewest characters of a local part that a password must not contain; shorter ones occur in many words. */
const minLocalPart = 5

/** The problem of a weak password; `hint` says why. */
export const weak = (hint: string): Problem => Problem.of("users.password_weak", "password", null, { hint })

/** Checks the requirements that need no estimate. */
export const checkPassword = (password: string, email: string): Result.Result<void, Problem> => {
  const length = [...password].length
  const { max, min } = passwordLengths
  if (length > max) return Result.fail(Problem.of("validation.max_length", "password", { max }))
  if (length < min) return Result.fail(weak(`It must have at least ${min} characters.`))
  const folded = foldCase(password)
  const local = email.slice(0, email.lastIndexOf("@"))
  if (
    folded.includes(foldCase(email)) ||
    (local.length >= minLocalPart && folded.includes(foldCase(local)))
  ) {
    return Result.fail(weak("It must not contain your email address."))
  }
  return folded.includes(productName)
    ? Result.fail(weak("It must not contain the name of the service."))
    : Result.succeed(undefined)
}

/** The words that an attacker tries first for a user. */
export const wordsOf = (email: string, name: string | null): ReadonlyArray<string> =>
  [
    email,
    ...email.split(/[@.+_-]/),
    ...(name === null ? [] : [name, ...name.split(/\s+/)]),
    productName
  ].filter((word) => word.length > 2)
