/**
 * Tests `svc audit` on a database: its output, and days whose rows were changed in the database.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import { secretKeyOf } from "../../adapters/crypto/SecretKey.ts"
import { layerServer } from "../../adapters/postgres/index.ts"
import { InstallationKeys } from "../../core/accounts/InstallationKeys.ts"
import { AuditSeals } from "../../core/companies/AuditSeals.ts"
import { api } from "../support/calls.ts"
import { linesOf, runCli } from "../support/cli.ts"
import { execute, freshDatabase } from "../support/postgres.ts"
import { useServers } from "../support/servers.ts"

const { folder, start, stop } = useServers()
const secretKey = "a1".repeat(32)

describe("svc audit", { timeout: 240_000 }, () => {
  it("lists, exports and verifies, and finds the day of a row that was changed in the database", async () => {
    const database = await freshDatabase()
    const env = { SVC_STORE: database, SVC_SECRET_KEY: secretKey }
    const server = start("node", env)
    const { baseUrl, managementToken } = await server.ready()
    await api(baseUrl, managementToken!, "/manage/v1/companies", { name: "Sealed" })
    await stop(server)
    await execute(database, "update audit_log set at = at - interval '3 days'")
    const layer = AuditSeals.layer.pipe(
      Layer.provide(InstallationKeys.layer),
      Layer.provide([Crypto.layer, SecretBox.layer(await secretKeyOf(secretKey))]),
      Layer.provide(layerServer(Redacted.make(database)))
    )
    await Effect.runPromise(
      Effect.scoped(
        Effect.provide(
          Effect.flatMap(AuditSeals, ({ maintain }) => maintain),
          layer
        )
      )
    )
    const svc = (...args: ReadonlyArray<string>) => runCli("node", folder(), ["audit", ...args], env)
    const listed = await svc("list")
    expect([listed.code, linesOf(listed.out)[0]]).toEqual([
      0,
      expect.stringMatching(/^AT +ACTOR +NETWORK +ACTION +TARGET +OUTCOME$/)
    ])
    const exported = await svc("export", "--format", "Csv", "--action", "account")
    expect(linesOf(exported.out)).toHaveLength(3)
    const intact = await svc("verify")
    expect([intact.code, intact.out]).toEqual([
      0,
      expect.stringMatching(/ days of 2 companies: 0 do not match/)
    ])
    await execute(database, "update audit_log set target_name = 'Eve' where action = 'account.created'")
    const changed = await svc("verify")
    expect([changed.code, linesOf(changed.out)]).toEqual([
      1,
      [
        expect.stringMatching(/ days of 2 companies: 1 do not match$/),
        expect.stringMatching(
          /^\d{4}-\d\d-\d\d +[0-9a-f-]{36} +Sealed: the entries or the seal were changed$/
        )
      ]
    ])
    expect((await svc("verify", "--company", "01890a5d-ac96-774b-bcce-b302099a8057")).code).toBe(1)
  })
})
