/**
 * Locks out networks after failed logins (docs/contributing/public-api.md "Authentication"): after 10 failures in 10
 * minutes a network is rejected for 15 minutes.
 *
 * @module
 */
import { type LockoutLimits, makeLockout } from "../accounts/Lockout.ts"

/** The limits of failed logins. */
export const loginLimits: LockoutLimits = {
  name: "login",
  maxFailures: 10,
  periodMillis: 600_000,
  lockMillis: 900_000
}

/** The lockout of failed logins. */
export const loginLockout = makeLockout(loginLimits)
