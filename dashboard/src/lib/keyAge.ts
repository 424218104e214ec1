/**
 * Finds the API keys that need attention.
 *
 * @module
 */

/** The facts about a key. */
export interface KeyFacts {
  readonly name: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

const dayMillis = 86_400_000
const unusedDays = 90
const endingDays = 14

/** The keys that expire within 14 days, and those last used 90 or more days ago. Keys that were never used count as new. */
export const attentionKeys = <K extends KeyFacts>(
  keys: ReadonlyArray<K>,
  now: Date
): {
  readonly ending: ReadonlyArray<K & { readonly expiresAt: string }>
  readonly unused: ReadonlyArray<K>
} => {
  const daysSince = (at: string): number => (now.getTime() - Date.parse(at)) / dayMillis
  const valid = keys.filter(
    ({ expiresAt, revokedAt }) => revokedAt === null && (expiresAt === null || daysSince(expiresAt) < 0)
  )
  return {
    ending: valid.filter(
      (key): key is K & { readonly expiresAt: string } =>
        key.expiresAt !== null && -daysSince(key.expiresAt) <= endingDays
    ),
    unused: valid.filter(({ lastUsedAt }) => lastUsedAt !== null && daysSince(lastUsedAt) >= unusedDays)
  }
}
