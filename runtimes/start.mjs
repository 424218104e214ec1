/**
 * Starts the server of a checkout on Node, or says in one line what is missing for it. It needs no dependency and runs on
 * any Node, which the server itself does not.
 *
 * @module
 */

/** The oldest Node that runs TypeScript sources as they are. */
const least = [22, 18]

const fail = (message) => {
  console.error(`svc: ${message}`)
  process.exit(1)
}

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < least[0] || (major === least[0] && minor < least[1])) {
  fail(
    `A checkout needs Node ${least.join(".")} or newer, and this is Node ${process.versions.node}: install a newer Node, or ` +
      "run npm ci without --omit=dev, which brings one"
  )
}
try {
  await import("./node/main.ts")
} catch (error) {
  const [, missing] = /^Cannot find package '([^']+)'/.exec(error?.message ?? "") ?? []
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || missing === undefined) throw error
  fail(`The package ${missing} is not installed: run npm ci --omit=dev first`)
}
