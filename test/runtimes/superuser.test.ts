/**
 * Tests the warning about a server that runs as root.
 *
 * @module
 */
import { Effect, FileSystem } from "effect"
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { superuserWarning, type ProcessIdentity } from "../../runtimes/server/superuser.ts"
import { useServers } from "../support/servers.ts"

const warningOf = (surroundings: ProcessIdentity, files: ReadonlyArray<string> = []) =>
  Effect.runSync(
    superuserWarning(surroundings).pipe(
      Effect.provide(FileSystem.layerNoop({ exists: (path) => Effect.succeed(files.includes(path)) }))
    )
  )

describe("the warning about root", () => {
  const { start } = useServers()

  it("names the unit that runs the service as a user", () => {
    expect(warningOf({ uid: 0, environment: {} })).toContain("deploy/systemd/svc.service")
  })

  it("is not given to other users, in containers, or on systems without user ids", () => {
    expect(warningOf({ uid: 1000, environment: {} })).toBeNull()
    expect(warningOf({ uid: undefined, environment: {} })).toBeNull()
    expect(warningOf({ uid: 0, environment: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } })).toBeNull()
    expect(warningOf({ uid: 0, environment: { container: "lxc" } })).toBeNull()
    expect(warningOf({ uid: 0, environment: {} }, ["/.dockerenv"])).toBeNull()
    expect(warningOf({ uid: 0, environment: {} }, ["/run/.containerenv"])).toBeNull()
    expect(warningOf({ uid: 0, environment: {} }, ["/run/systemd/container"])).toBeNull()
  })

  it("is logged at the start, and not inside a container", async () => {
    const inside = start("node", { SVC_STORE: "memory", SVC_SMTP_PORTS: "", container: "test" })
    await inside.ready()
    expect(inside.out() + inside.err()).not.toContain("runs as root")
    const outside = start("node", { SVC_STORE: "memory", SVC_SMTP_PORTS: "" })
    await outside.ready()
    const isContained = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].some((path) =>
      existsSync(path)
    )
    const expected = process.geteuid?.() === 0 && !isContained
    expect((outside.out() + outside.err()).includes("runs as root")).toBe(expected)
  })
})
