/**
 * Starts the server of a checkout on Node, or says in one line what is missing for it, and builds the dashboard where that is
 * missing and can be built. It needs no dependency and runs on any Node, which the server itself does not.
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
// The service starts without a dashboard too, and says how to build it.
if (!/^(false|0|no|off)$/i.test(process.env.SVC_DASHBOARD?.trim() ?? "")) {
  const { buildDashboard, isBuilt } = await import("../dashboard/build.mjs")
  if (!isBuilt()) {
    await buildDashboard().catch((error) =>
      console.error(`svc: The dashboard was not built: ${error?.message ?? error}`)
    )
  }
}
try {
  await import("./node/main.ts")
} catch (error) {
  const [, missing] = /^Cannot find package '([^']+)'/.exec(error?.message ?? "") ?? []
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || missing === undefined) throw error
  fail(`The package ${missing} is not installed: run npm ci --omit=dev first`)
}
