/**
 * Checks the version of the runtime.
 *
 * @module
 */

/** The oldest supported Node. It has `node:sqlite` without a flag. Must equal `engines` in package.json. */
export const leastNode = { major: 22, minor: 13 } as const

/** One line that says why a runtime with these versions is not supported; null if it is. The package pins Bun's version. */
export const whyTooOld = (versions: Readonly<Record<string, string | undefined>>): string | null => {
  const { major: least, minor: leastMinor } = leastNode
  const [major = 0, minor = 0] = (versions["node"] ?? "").split(".").map(Number)
  if (versions["bun"] !== undefined || major > least || (major === least && minor >= leastMinor)) return null
  return `Node ${least}.${leastMinor} or newer is needed, and this is Node ${versions["node"]}`
}
