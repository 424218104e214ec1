/**
 * Flows on two nodes over one database: one run whoever is told of the event, and each email once whoever is killed.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { freshDatabase } from "../support/postgres.ts"
import { useServers } from "../support/servers.ts"

const { kill, start } = useServers()

const admin = "token-of-the-operator"

const startBoth = async () => {
  const url = await freshDatabase()
  const servers = (["node", "bun"] as const).map((runtime) =>
    start(runtime, { SVC_STORE: url, SVC_ADMIN_TOKEN: admin })
  )
  const [node, bun] = await Promise.all(servers.map((server) => server.ready()))
  const { accountId, apiKey } = (node!.sandbox ?? bun!.sandbox)!
  const urls = [node!.baseUrl, bun!.baseUrl] as const
  await liftRateLimit(urls[0], admin, accountId)
  const manage = <Value>(path: string, body?: unknown) =>
    api<Value>(urls[1], admin, `/manage/v1/accounts/${accountId}${path}`, body)
  const publish = async (steps: ReadonlyArray<object>) => {
    const trigger = { kind: "Event", name: "user.signed_up" }
    const { value } = await manage<{ id: string }>("/flows", { name: "Flow", trigger, steps })
    await manage(`/flows/${value.id}/publish`, {})
    return value.id
  }
  const report = (index: number, email: string) =>
    api(urls[index % 2]!, apiKey, "/api/v1/events", {
      events: [{ id: `event-${index}`, name: "user.signed_up", contact: { email } }]
    })
  return { servers, manage, publish, report }
}

interface Runs {
  readonly totalCount: number
  readonly items: ReadonlyArray<{ readonly status: string }>
}

interface Processed {
  readonly totalCount: number
}

describe("flows on two nodes", () => {
  it("start one run of a hundred events at once", async () => {
    const { manage, publish, report } = await startBoth()
    const flowId = await publish([{ id: "w", kind: "Wait", duration: "P1D" }])
    await Promise.all(Array.from({ length: 100 }, (_, index) => report(index, "ada@example.org")))
    const processed = await eventually(
      () => manage<Processed>("/events?status=Processed"),
      ({ value }) => value.totalCount === 100
    )
    expect(processed.value.totalCount).toBe(100)
    expect((await manage<Runs>(`/flows/${flowId}/runs`)).value.totalCount).toBe(1)
  })

  it("send each email once, also when one is killed on the way", async () => {
    const { manage, publish, report, servers } = await startBoth()
    const email = { kind: "SendEmail", purpose: "Transactional", subject: "s", text: "t" }
    const flowId = await publish([
      { id: "one", ...email },
      { id: "w", kind: "Wait", duration: "PT1S" },
      { id: "two", ...email }
    ])
    const people = Array.from({ length: 60 }, (_, index) => `person-${index}@example.org`)
    await Promise.all(people.map((address, index) => report(index, address)))
    await eventually(
      () => manage<Runs>(`/flows/${flowId}/runs`),
      ({ value }) => value.totalCount >= 20
    )
    await kill(servers[0]!)
    const until = Date.now() + 90_000
    let ended = 0
    while (ended < 60 && Date.now() < until) {
      ended = (await manage<Runs>(`/flows/${flowId}/runs?status=Completed`)).value.totalCount
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    expect(ended).toBe(60)
    const inbox = () =>
      manage<{ totalCount: number; items: ReadonlyArray<{ to: string }> }>("/inbox?pageSize=200")
    const until2 = Date.now() + 40_000
    while ((await inbox()).value.totalCount < 120 && Date.now() < until2) {
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const counts = Map.groupBy((await inbox()).value.items, (message) => message.to)
    expect([...counts.values()].map((messages) => messages.length)).toEqual(people.map(() => 2))
  }, 150_000)
})
