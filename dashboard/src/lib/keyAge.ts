/**
 * Finds the keys that someone has to look at.
 *
 * @module
 */

/** What is known of a key. */
export interface KeyFacts {
  readonly name: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

const dayMillis = 86_400_000
const unusedDays = 90
const endingDays = 14

/** Keys that expire within 14 days, and those whose last use was 90 days ago. A key that was never used is new. */
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
