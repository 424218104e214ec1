/**
 * Starts the server of a checkout on the runtime in which this runs, or says in one line what is missing. It builds the dashboard
 * and the programs if they are missing and can be built. Without built programs it runs the sources, which start more slowly.
 * It has no dependency and runs on any Node, which the server itself does not.
 *
 * @module
 */

/** The oldest Node that runs TypeScript sources directly. */
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
// The service also starts without a dashboard, and says how to build it.
if (!/^(false|0|no|off)$/i.test(process.env.SVC_DASHBOARD?.trim() ?? "")) {
  const { buildDashboard, isBuilt } = await import("../dashboard/build.mjs")
  if (!isBuilt()) {
    await buildDashboard().catch((error) =>
      console.error(`svc: The dashboard was not built: ${error?.message ?? error}`)
    )
  }
}
const { buildPrograms, isBuilt } = await import("./build.mjs")
// The processes of a supervisor run what the first process has built.
if (!isBuilt() && process.env.NODE_UNIQUE_ID === undefined) {
  await buildPrograms().catch((error) =>
    console.error(`svc: The programs were not built: ${error?.message ?? error}`)
  )
}
try {
  const runtime = "bun" in process.versions ? "bun" : "node"
  await import(isBuilt() ? `../dist/bundle/runtimes/${runtime}/main.js` : `./${runtime}/main.ts`)
} catch (error) {
  const [, missing] = /^Cannot find package '([^']+)'/.exec(error?.message ?? "") ?? []
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || missing === undefined) throw error
  fail(`The package ${missing} is not installed: run npm ci --omit=dev first`)
}
