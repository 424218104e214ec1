/**
 * Tests that the information a process reports about itself contains no secrets and stays small.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { configuredValues, withoutCredentials } from "../../runtimes/config/values.ts"
import { configuration } from "../../runtimes/config/config.ts"
import { LogRing } from "../../runtimes/telemetry/logRing.ts"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { ConfigProvider, Layer } from "effect"

const now = Date.UTC(2031, 0, 1)

describe("withoutCredentials", () => {
  it("shows the host and the path of a URL, and nothing that may be a secret", () => {
    for (const [given, shown] of [
      ["postgres://ada:pw@db.example:5432/svc?password=pw#pw", "postgres://db.example:5432/svc"],
      ["smtps://user%40x:pw@mail.example", "smtps://mail.example"],
      ["s3://key:secret@bucket.example/a?x=secret", "s3://bucket.example/a"],
      ["https://otlp.example/v1?token=pw", "https://otlp.example/v1"],
      ["memory", "memory"],
      ["/var/lib/svc", "/var/lib/svc"],
      ["postgres:ada:pw@db", "set"],
      ["user:pw@db.example", "set"]
    ] as const) {
      expect([given, withoutCredentials(given)]).toEqual([given, shown])
    }
  })
})

describe("configuredValues", () => {
  it.effect("shows each variable with its source, and no secret", () =>
    Effect.gen(function* () {
      const environment = {
        SVC_STORE: "postgres://ada:hunter2@db.example/svc",
        SVC_SECRET_KEY: "hunter2".repeat(6),
        SVC_ADMIN_TOKEN: "hunter2".repeat(6),
        SVC_PORT: "4000",
        SVC_BASE_URL: " "
      }
      const read = Effect.provideService(
        configuration,
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: environment })
      )
      const config = yield* Effect.provide(read, Layer.merge(NodeFileSystem.layer, NodePath.layer))
      const values = configuredValues(config, environment)
      expect(JSON.stringify(values)).not.toContain("hunter2")
      const byName = new Map(values.map((value) => [value.name, value]))
      expect(byName.get("SVC_PORT")).toMatchObject({ value: "4000", source: "Environment" })
      expect(byName.get("SVC_SECRET_KEY")).toMatchObject({ value: "set", isSecret: true })
      expect(byName.get("SVC_STORE")).toMatchObject({ value: "postgres://db.example/svc" })
      expect(byName.get("SVC_ROLES")).toMatchObject({ value: "api,smtp,worker", source: "Default" })
      expect(byName.get("SVC_BASE_URL")).toMatchObject({ value: null, source: "Default" })
    })
  )
})

describe("LogRing", () => {
  it("keeps a bounded number of lines of the last hour, in order", () => {
    const ring = new LogRing()
    for (let index = 0; index < 2_500; index++) {
      ring.add({ at: now + index, level: "Info", message: String(index), fields: {} })
    }
    const lines = ring.lines(now + 2_500)
    expect(lines).toHaveLength(2_000)
    expect([lines[0]!.message, lines.at(-1)!.message]).toEqual(["500", "2499"])
    expect(ring.lines(now + 3_600_000 + 2_000).map(({ message }) => message)[0]).toBe("2001")
  })

  it.effect("takes the lines that are logged, cut to a length", () =>
    Effect.gen(function* () {
      const ring = new LogRing()
      yield* Effect.logWarning("x".repeat(9_000)).pipe(
        Effect.annotateLogs({ count: 3 }),
        Effect.provide(Logger.layer([ring.logger]))
      )
      const [line] = ring.lines(0)
      expect(line).toMatchObject({ level: "Warn", fields: { count: "3" } })
      expect(line!.message).toHaveLength(501)
    })
  )
})
