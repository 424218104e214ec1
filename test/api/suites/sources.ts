/**
 * Tests sources and pools: what responses contain, what is rejected, and which pools accounts may choose.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage as manageOf, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface Source {
  readonly id: string
  readonly address: string
  readonly name: string | null
  readonly pool: string
  readonly state: string
  readonly reason: string | null
  readonly spfMissing: ReadonlyArray<string> | null
  readonly warmUp: { readonly day: number } | null
  readonly today: ReadonlyArray<{
    readonly group: string
    readonly cap: number | null
    readonly sent: number
  }>
}

interface Pool {
  readonly key: string
  readonly name: string
  readonly overflow: string | null
  readonly sources: number
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Tests of sources and pools. */
export const sourcesSuite = (target: () => Target): void => {
  describe("sources", () => {
    let workspace: Workspace
    const mark = Math.floor(Math.random() * 65_536).toString(16)
    let count = 0
    const newAddress = () => `2001:db8:${mark}::${(++count).toString(16)}`

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Sources")
    })

    const manage = <Value = Source>(method: string, path: string, json?: unknown) =>
      manageOf<Value>(target(), method, path, json === undefined ? {} : { json })

    it("shows an address that no machine has as unready, and keeps what a change leaves out", async () => {
      const address = newAddress()
      const made = await manage("POST", "/sources", {
        address: address.toUpperCase(),
        name: "MX.Example.com"
      })
      expect(made.status).toBe(201)
      expect(made.value).toMatchObject({
        address,
        name: "mx.example.com",
        pool: "default",
        state: "Unready",
        reason: "shaping.source_without_ptr",
        force: false,
        hosts: []
      })
      expect(made.value.spfMissing).toEqual(expect.any(Array))
      const path = `/sources/${made.value.id}`
      expect((await manage("PATCH", path, { state: "Retired" })).value.state).toBe("Retired")
      expect((await manage("POST", `${path}/activate`)).value.state).toBe("Unready")
      expect((await manage("POST", `${path}/pause`)).value).toMatchObject({
        state: "Paused",
        name: "mx.example.com"
      })
      expect((await manage("POST", `${path}/check`)).value.state).toBe("Paused")
      expect((await manage("GET", path)).value).toMatchObject({ id: made.value.id, address })
      const listed = await manage<Page<Source>>("GET", "/sources?pageSize=200")
      expect(listed.value.items.find(({ id }) => id === made.value.id)?.spfMissing).toBeNull()
      const { record } = (await manage<{ record: { name: string; value: string } }>("GET", "/sources/spf"))
        .value
      expect(record.name).toMatch(/^_spf\./)
      expect(record.value).toContain(`ip6:${address}`)

      expect((await manage("POST", "/sources", { address })).codes).toEqual(["shaping.source_exists"])
      expect((await manage("DELETE", path)).status).toBe(200)
      expect((await manage("DELETE", path)).codes).toEqual(["common.not_found"])
    })

    it("warms an address up from a day of the plan on, until it is ended", async () => {
      const { value } = await manage("POST", "/sources", { address: newAddress() })
      expect(value).toMatchObject({ warmUp: null, sentToday: 0, capToday: null })
      const path = `/sources/${value.id}`
      for (const day of [0, 46, 1.5, "1"])
        expect((await manage("POST", `${path}/warm-up`, { day })).fields).toEqual(["day"])
      expect((await manage("POST", `${path}/warm-up`, {})).status).toBe(400)
      const warmed = await manage("POST", `${path}/warm-up`, { day: 10 })
      // The source cannot send yet.
      expect(warmed.value).toMatchObject({
        state: "Unready",
        warmUp: { day: 10, days: 45, movedBackAt: null },
        sentToday: 0,
        capToday: 20_000
      })
      expect(warmed.value.today.map(({ cap, group, sent }) => [group, cap, sent])).toEqual(
        ["google", "microsoft", "yahoo", "apple", "other"].map((group) => [group, 4_000, 0])
      )
      const plan = (
        await manage<{ groups: ReadonlyArray<string>; caps: ReadonlyArray<number> }>("GET", "/sources/plan")
      ).value
      expect(plan.groups).toEqual(["google", "microsoft", "yahoo", "apple", "other"])
      expect(plan.caps).toHaveLength(45)
      expect([plan.caps[0], plan.caps[9]]).toEqual([50, 4_000])
      // A change of other fields leaves the plan unchanged.
      expect((await manage("PATCH", path, { name: "mx.example.com" })).value.warmUp?.day).toBe(10)
      expect((await manage("POST", `${path}/pause`)).value).toMatchObject({
        state: "Paused",
        warmUp: { day: 10 }
      })
      expect((await manage("POST", `${path}/warm-up`, { day: null })).value.warmUp).toBeNull()
      expect((await manage("DELETE", path)).status).toBe(200)
    })

    it("refuses what is no address, no name and no pool", async () => {
      const refused = async (given: object) => (await manage("POST", "/sources", given)).codes
      for (const address of ["", "mx.example.com", "192.0.2.256", "192.0.2.0/24", "fe80::1%eth0"])
        expect(await refused({ address })).toEqual(["shaping.address_invalid"])
      const address = newAddress()
      expect(await refused({ address, name: "no name" })).toEqual(["validation.format"])
      expect(await refused({ address, pool: "absent" })).toEqual(["shaping.pool_unknown"])
      for (const [method, path] of [
        ["GET", ""],
        ["PATCH", ""],
        ["POST", "/check"],
        ["POST", "/pause"],
        ["POST", "/warm-up"]
      ] as const) {
        const body = method === "PATCH" ? {} : path === "/warm-up" ? { day: 1 } : undefined
        expect((await manage(method, `/sources/${unknownId}${path}`, body)).codes).toEqual([
          "common.not_found"
        ])
      }
    })

    it("keeps a pool that a source, another pool or an account uses", async () => {
      const key = `bulk-${mark}`
      const pool = await manage<Pool>("POST", "/pools", { key, name: " Bulk ", overflow: "default" })
      expect(pool.status).toBe(201)
      expect(pool.value).toEqual({ key, name: "Bulk", overflow: "default", sources: 0 })
      expect((await manage("POST", "/pools", { key, name: "Again" })).codes).toEqual(["shaping.pool_exists"])
      for (const bad of ["", "Bulk", "a b", "x".repeat(41)])
        expect((await manage("POST", "/pools", { key: bad, name: "Bulk" })).codes).toEqual([
          "validation.format"
        ])
      expect(
        (await manage("POST", "/pools", { key: `x${key}`, name: "X", overflow: "absent" })).codes
      ).toEqual(["shaping.pool_unknown"])
      const inUse = async () => {
        const answer = await manage("DELETE", `/pools/${key}`)
        expect([answer.status, answer.codes[0]]).toEqual([409, "shaping.pool_in_use"])
      }
      const source = await manage("POST", "/sources", { address: newAddress(), pool: key })
      await inUse()
      expect((await manage("PATCH", `/sources/${source.value.id}`, { pool: "default" })).value.pool).toBe(
        "default"
      )
      await manage("DELETE", `/sources/${source.value.id}`)

      const settings = `/accounts/${workspace.live.accountId}/settings`
      const pools = { transactional: "default", marketing: key }
      const set = await manage<{ readonly pools: object }>("PATCH", settings, { pools })
      expect(set.value.pools).toEqual(pools)
      await inUse()
      expect(
        (await manage("PATCH", settings, { pools: { transactional: "absent", marketing: key } })).codes
      ).toEqual(["shaping.pool_unknown"])
      await manage("PATCH", settings, { pools: { transactional: "default", marketing: "default" } })

      const changed = await manage<Pool>("PATCH", `/pools/${key}`, { overflow: null })
      expect(changed.value).toEqual({ key, name: "Bulk", overflow: null, sources: 0 })
      expect((await manage("DELETE", `/pools/${key}`)).status).toBe(200)
      expect((await manage("DELETE", `/pools/${key}`)).codes).toEqual(["common.not_found"])
      expect((await manage("DELETE", "/pools/default")).codes).toEqual(["shaping.pool_in_use"])
      const listed = await manage<Page<Pool>>("GET", "/pools")
      expect(listed.value.items.map((one) => one.key)).toContain("default")
    })
  })
}
