/**
 * Checks the version of the runtime.
 *
 * @module
 */

/** The oldest supported Node: it has `node:sqlite` without a flag. The same as `engines` of package.json. */
export const leastNode = { major: 22, minor: 13 } as const

/** One line that says why a runtime of those versions is not supported; null where it is. Bun is pinned by its package. */
export const whyTooOld = (versions: Readonly<Record<string, string | undefined>>): string | null => {
  const { major: least, minor: leastMinor } = leastNode
  const [major = 0, minor = 0] = (versions["node"] ?? "").split(".").map(Number)
  if (versions["bun"] !== undefined || major > least || (major === least && minor >= leastMinor)) return null
  return `Node ${least}.${leastMinor} or newer is needed, and this is Node ${versions["node"]}`
}
