/**
 * Tests flows on two nodes over one database: there is one run whichever node gets the event, and each email is sent once when a
 * node is killed.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { freshDatabase } from "../support/postgres.ts"
import { useServers } from "../support/servers.ts"

const { kill, start } = useServers()

const admin = "token-of-the-operator-0123456789abcdef"

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
  const publish = async (steps: ReadonlyArray<object>, stopEvents: ReadonlyArray<object> = []) => {
    const trigger = { kind: "Event", name: "user.signed_up" }
    const { value } = await manage<{ id: string }>("/flows", { name: "Flow", trigger, stopEvents, steps })
    expect((await manage(`/flows/${value.id}/publish`, {})).status).toBe(200)
    return value.id
  }
  const report = async (index: number, email: string, name = "user.signed_up", at = index % 2) => {
    const answer = await api<{ accepted: number; duplicates: number }>(urls[at]!, apiKey, "/api/v1/events", {
      events: [{ id: `event-${name}-${index}`, name, contact: { email } }]
    })
    expect([answer.status, answer.codes]).toEqual([200, []])
    return answer
  }
  const inbox = async () =>
    (await manage<{ items: ReadonlyArray<{ readonly to: string }> }>("/inbox?pageSize=200")).value.items
  return { servers, manage, publish, report, inbox }
}

interface Runs {
  readonly totalCount: number
  readonly items: ReadonlyArray<{ readonly status: string }>
}

interface Emails {
  readonly items: ReadonlyArray<{
    readonly status: string
    readonly recipients: ReadonlyArray<{ readonly email: string; readonly reason: string | null }>
  }>
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

interface Processed {
  readonly totalCount: number
}

describe("flows on two nodes", () => {
  it("start one run for a hundred events at once", async () => {
    const { manage, publish, report } = await startBoth()
    const flowId = await publish([{ id: "w", kind: "Wait", duration: "P1D" }])
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        // Each event is reported to both nodes at the same time.
        [0, 1].map((at) => report(index, "ada@example.org", "user.signed_up", at))
      ).flat()
    )
    const sum = (of: "accepted" | "duplicates") => answers.reduce((total, { value }) => total + value[of], 0)
    expect([sum("accepted"), sum("duplicates")]).toEqual([100, 100])
    const processed = await eventually(
      () => manage<Processed>("/events?status=Processed"),
      ({ value }) => value.totalCount === 100
    )
    expect(processed.value.totalCount).toBe(100)
    expect((await manage<Runs>(`/flows/${flowId}/runs`)).value.totalCount).toBe(1)
  })

  it("send nothing after a stop event, whatever step the other node is at", async () => {
    const { inbox, manage, publish, report } = await startBoth()
    const email = { kind: "SendEmail", purpose: "Transactional", subject: "s", text: "t" }
    const flowId = await publish(
      [
        { id: "one", ...email },
        { id: "w", kind: "Wait", duration: "PT1S" },
        { id: "two", ...email },
        { id: "rest", kind: "Wait", duration: "P1D" }
      ],
      [{ name: "user.left" }]
    )
    const count = 80
    const people = Array.from({ length: count }, (_, index) => `person-${index}@example.org`)
    const late = people.filter((_, index) => index % 2 === 1)
    const reports = people.map((address, index) => report(index, address))
    const opened = Promise.all(reports).then(() =>
      eventually(inbox, (messages) => late.every((address) => messages.some(({ to }) => to === address)))
    )
    await Promise.all(
      people.map(async (address, index) => {
        // Half of the runs are stopped around the first email, half between the first email and the time after the second.
        await (late.includes(address) ? opened : reports[index])
        await pause((index * 1_500) / count)
        await report(index, address, "user.left", (index + 1) % 2)
      })
    )
    const stopped = await eventually(
      () => manage<Runs>(`/flows/${flowId}/runs?status=Stopped`),
      ({ value }) => value.totalCount === count
    )
    expect(stopped.value.totalCount).toBe(count)
    // Emails that were being sent at that time may still arrive.
    const items = await eventually(
      async () => (await manage<Emails>(`/emails?flowId=${flowId}&pageSize=200`)).value.items,
      (emails) => emails.every(({ status }) => status !== "Queued" && status !== "HandingOff")
    )
    const atStop = (await inbox()).length
    const outcomes = items.map(({ recipients, status }) => `${status} ${recipients[0]!.reason}`)
    const cancelled = outcomes.filter((outcome) => outcome === "Failed sending.cancelled").length
    expect(outcomes.filter((outcome) => /^(Sent|Delivered) null$/.test(outcome))).toHaveLength(atStop)
    expect(cancelled + atStop).toBe(outcomes.length)
    await pause(2_000)
    expect(await inbox()).toHaveLength(atStop)
    expect(atStop).toBeGreaterThan(0)
  })

  it("send each email once when one of the nodes is killed", async () => {
    const { inbox, manage, publish, report, servers } = await startBoth()
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
    const ended = async () => (await manage<Runs>(`/flows/${flowId}/runs?status=Completed`)).value.totalCount
    await expect.poll(ended, { timeout: 90_000, interval: 200 }).toBe(60)
    await expect.poll(async () => (await inbox()).length, { timeout: 40_000, interval: 200 }).toBe(120)
    const counts = Map.groupBy(await inbox(), (message) => message.to)
    expect([...counts.values()].map((messages) => messages.length)).toEqual(people.map(() => 2))
  }, 240_000)
})
