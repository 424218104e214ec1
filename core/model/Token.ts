/**
 * Tokens with which programs call the management API (docs/contributing/people.md 3).
 *
 * @module
 */

/** The accounts of a company that a company token reaches. */
export const tokenAccounts = ["Live", "Sandbox", "Both"] as const

/** The accounts that a company token reaches. */
export type TokenAccounts = (typeof tokenAccounts)[number]
