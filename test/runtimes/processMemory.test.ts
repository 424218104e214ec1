import { expect, it } from "vitest"
import { commandWithLimits } from "../../runtimes/node/processMemory.ts"

const started = {
  execPath: "/node",
  execArgv: [],
  argv: ["/node", "/main.ts", "start"],
  env: { PATH: "/bin" }
}

it("starts a process again with limits of its memory, once", () => {
  const { args, env } = commandWithLimits(started)!
  expect(args).toEqual(["/node", "--max-semi-space-size=4", "/main.ts", "start"])
  expect(env).toEqual({ PATH: "/bin", MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" })
  expect(commandWithLimits({ ...started, execArgv: args.slice(1, 2), env })).toBeNull()
})

it("leaves new objects more room where the store is a process of its own", () => {
  const { args } = commandWithLimits({ ...started, env: { SVC_STORE: "postgres://127.0.0.1/svc" } })!
  expect(args).toEqual(["/node", "--max-semi-space-size=32", "/main.ts", "start"])
})

it("keeps the limits that a process has", () => {
  const own = { MALLOC_ARENA_MAX: "8", NODE_OPTIONS: "--max-semi-space-size=16" }
  const { args, env } = commandWithLimits({ ...started, execArgv: ["--enable-source-maps"], env: own })!
  expect(args).toEqual(["/node", "--enable-source-maps", "/main.ts", "start"])
  expect(env).toEqual({ ...own, MALLOC_TRIM_THRESHOLD_: "131072" })
})
