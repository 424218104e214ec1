/**
 * What the service needs of the runtime it is started on.
 *
 * @module
 */

/** The oldest Node that has all that is used: `node:sqlite` without a flag. Also `engines` of package.json. */
export const leastNode = { major: 22, minor: 13 } as const

/** Why a runtime of those versions cannot run the service, as one line; null where it can. Bun is as its package pins it. */
export const whyTooOld = (versions: Readonly<Record<string, string | undefined>>): string | null => {
  const { major: least, minor: leastMinor } = leastNode
  const [major = 0, minor = 0] = (versions["node"] ?? "").split(".").map(Number)
  if (versions["bun"] !== undefined || major > least || (major === least && minor >= leastMinor)) return null
  return `Node ${least}.${leastMinor} or newer is needed, and this is Node ${versions["node"]}`
}
