/**
 * Tests event streams of several nodes on one PostgreSQL: each shows what happens on any node, and a client whose node was killed
 * continues at another.
 *
 * @module
 */
import { beforeEach, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { type EventStream, openStream } from "../support/eventStream.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { ReadyFile, Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const admin = "token-of-the-operator-0123456789abcdef"

const { start } = useServers()

let env: Readonly<Record<string, string>>
beforeEach(async () => {
  env = {
    SVC_STORE: await freshDatabase(),
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    SVC_SMTP_PORTS: "0/tls"
  }
})

const open = ({ baseUrl }: ReadyFile, accountId: string, lastId?: string): Promise<EventStream> =>
  openStream(
    { fetch: (path, init) => fetch(baseUrl + path, init) },
    `/manage/v1/accounts/${accountId}/stream?topics=events`,
    { authorization: `Bearer ${admin}`, ...(lastId === undefined ? {} : { "last-event-id": lastId }) }
  )

interface Named {
  readonly name: string
}

const namesOf = (stream: EventStream): ReadonlyArray<string> => [
  ...new Set(stream.events.map(({ data }) => (data as { readonly item: Named }).item.name))
]

const shows = (stream: EventStream, name: string) =>
  stream.change<Named>("events", ({ item }) => item.name === name)

it("shows on each node what happens on any, and goes on at another where its own was killed", async () => {
  const processes = []
  const nodes: Array<ReadyFile> = []
  for (const runtime of ["node", "bun"] satisfies ReadonlyArray<Runtime>) {
    const server = start(runtime, env)
    processes.push(server)
    nodes.push(await server.ready())
  }
  const [onNode, onBun] = nodes as [ReadyFile, ReadyFile]
  const { accountId, apiKey } = onNode.sandbox!
  const report = (node: ReadyFile, name: string) =>
    api(node.baseUrl, apiKey, "/api/v1/events", {
      events: [{ id: name, name, contact: { email: "ada@example.org" } }]
    })
  // The other node may not have heard of the stream yet, but still shows what has happened since.
  const first = await open(onNode, accountId)
  await report(onBun, "first")
  await shows(first, "first")
  const second = await open(onBun, accountId)
  await report(onNode, "second")
  await Promise.all([shows(first, "second"), shows(second, "second")])
  const lastId = second.lastId()
  processes[1]!.signal("SIGKILL")
  await processes[1]!.ended
  await eventually(
    async () => second.isEnded(),
    (isEnded) => isEnded
  )
  await report(onNode, "third")
  await shows(first, "third")
  const again = await open(onNode, accountId, lastId)
  await shows(again, "third")
  expect(namesOf(again).filter((name) => name !== "second")).toEqual(["third"])
  expect(again.events.map(({ event }) => event)).not.toContain("reset")
})

for (const runtime of ["node", "bun"] satisfies ReadonlyArray<Runtime>) {
  it(`ends streams as a whole when a server on ${runtime} is stopped`, async () => {
    const server = start(runtime, { ...env, SVC_STORE: "memory" })
    const ready = await server.ready()
    const stream = await open(ready, ready.sandbox!.accountId)
    await eventually(
      async () => stream.lastId(),
      (id) => id !== ""
    )
    server.signal("SIGTERM")
    expect(await server.ended).toEqual({ code: 0, signal: null })
    await eventually(
      async () => stream.isEnded(),
      (isEnded) => isEnded
    )
    expect(stream.isCut()).toBe(false)
  })
}
