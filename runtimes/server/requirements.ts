/**
 * Checks that the runtime is new enough for the service.
 *
 * @module
 */

/** The oldest supported Node: the first with `node:sqlite` without a flag. Also `engines` of package.json. */
export const leastNode = { major: 22, minor: 13 } as const

/** Why these versions cannot run the service, in one line; null where they can. Bun is pinned by its package. */
export const whyTooOld = (versions: Readonly<Record<string, string | undefined>>): string | null => {
  const { major: least, minor: leastMinor } = leastNode
  const [major = 0, minor = 0] = (versions["node"] ?? "").split(".").map(Number)
  if (versions["bun"] !== undefined || major > least || (major === least && minor >= leastMinor)) return null
  return `Node ${least}.${leastMinor} or newer is needed, and this is Node ${versions["node"]}`
}
