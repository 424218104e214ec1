/**
 * Tests that simulating a flow leaves the whole database unchanged. Every row of every table is compared, including those of new
 * tables.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { emailStep, flowsOf } from "../../support/flows.ts"
import { freshDatabase } from "../../support/postgres.ts"
import { startEmbedded } from "../../support/targets.ts"
import { openWorkspace } from "../../support/workspace.ts"

type Row = Readonly<Record<string, unknown>>

/** The tables that are written in the background, a moment after each call. */
const writtenLater = ["request_log"]

/** Every row of all other tables, as a string. */
const contentsOf = (url: string): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const tables = yield* sql.unsafe<Row>(
      `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`
    )
    expect(tables.length).toBeGreaterThan(30)
    const reads = tables
      .filter(({ name }) => !writtenLater.some((one) => String(name).startsWith(one)))
      .map(({ name }) => `select '${String(name)} ' || t::text as row from "${String(name)}" t`)
    return (yield* sql.unsafe<Row>(reads.join(" union all "))).map(({ row }) => String(row)).toSorted()
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.runPromise)

it("a simulation of a flow stores nothing", async () => {
  const url = await freshDatabase()
  const target = await startEmbedded({ store: { url } })
  try {
    const account = (await openWorkspace(target, "Simulation")).sandbox
    const flows = flowsOf(account)
    await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
    await account.manage("POST", "/topics", { key: "news", name: "News" })
    await account.api("POST", "/contact-attributes", { key: "plan", type: "Text" })
    const person = await flows.person({ firstName: "Ada" })
    const flow = await flows.start("user.signed_up", [
      emailStep("hi", { purpose: "Marketing", topic: "news" }),
      {
        id: "u",
        kind: "UpdateContact",
        attributes: { plan: "x" },
        topics: { news: false },
        tags: { add: ["t"] }
      },
      { id: "hook", kind: "Webhook", url: "https://hooks.example/in" },
      { id: "d", kind: "Wait", duration: "P1D" },
      { id: "e", kind: "WaitForEvent", name: "user.paid", timeout: "P2D", then: [emailStep("paid")] },
      emailStep("late")
    ])
    const before = await contentsOf(url)
    const played = await account.manage<{ path: ReadonlyArray<{ stepId: string; outcome: string }> }>(
      "POST",
      `/flows/${flow.id}/simulate`,
      {
        contact: {
          email: person.email,
          firstName: "Eve",
          attributes: { plan: "y", never_heard_of: 1 },
          topics: { news: true },
          consent: { basis: "Subscribed", proof: { text: "Yes" } }
        },
        event: { properties: { plan: "pro" } },
        events: [{ name: "user.paid", after: "P2D" }]
      }
    )
    expect(played.value.path.map(({ outcome, stepId }) => `${stepId} ${outcome}`)).toEqual([
      "hi sent",
      "u updated",
      "hook called",
      "d waited",
      "e event",
      "paid sent",
      "late sent"
    ])
    expect(await contentsOf(url)).toEqual(before)
    // The comparison is sensitive: an event of a person changes it.
    await flows.report("user.signed_up", { id: person.id })
    await flows.runIn(flow.id, "Active", "d")
    expect((await contentsOf(url)).length).toBeGreaterThan(before.length)
  } finally {
    await target.stop()
  }
})
