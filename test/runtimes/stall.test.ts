/**
 * Tests the stall budget: while a server with a heap of 512 MB receives the corpus of hostile input, it responds on its health
 * route in time and limits its memory, and afterwards it works as before.
 *
 * @module
 */
import { createHmac, randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createServer, type Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hostileAnswers } from "../fixtures/hostile/answers.ts"
import { brokenBodies, hostileBodies, type LargeBody, largestBodies } from "../fixtures/hostile/bodies.ts"
import { hostileFiles } from "../fixtures/hostile/files.ts"
import { hostileMessages } from "../fixtures/hostile/messages.ts"
import {
  brokenDocuments,
  type Bytes,
  costlyDocuments,
  type Credentials,
  hostileHeads,
  hostileQueries,
  hostileRequests
} from "../fixtures/hostile/requests.ts"
import { hostileRenders, hostileSources } from "../fixtures/hostile/templates.ts"
import { hostileTexts } from "../fixtures/hostile/texts.ts"
import { api, delivered, liftRateLimit } from "../support/calls.ts"
import { freshDatabase } from "../support/postgres.ts"
import { ownMillis, startProber } from "../support/prober.ts"
import { sendRaw } from "../support/rawHttp.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { loggedIn } from "../support/smtpClient.ts"

/** The slowest allowed response of the health route, in milliseconds. */
const maxMillis = 250

/**
 * The most memory of the process, in megabytes: its heap, the threads that read messages and render, the bodies in flight, and
 * what the allocator keeps. On Node, between 1,180 and 1,490 were measured; on Bun up to 1,900, while other tests ran.
 */
const maxMegabytes: Readonly<Record<Runtime, number>> = { node: 1_800, bun: 2_400 }

/** How many members of the corpus a server gets at the same time. */
const lanes = 4

/** A member of the corpus, and a function that sends it. The function fails if the server's response is not an allowed one. */
interface Member {
  readonly name: string
  readonly send: () => Promise<void>
}

const secret = "a-secret-of-the-webhook"

/** An account that sends hostile input, with its stores. */
interface Account {
  readonly id: string
  readonly key: string
  readonly store: { readonly id: string; readonly token: string }
  readonly shop: { readonly id: string }
}

/**
 * The server on the embedded database gets only input that results in statements. Input that is rejected earlier, responses of
 * webhook endpoints, and what threads read (messages and templates) never reach the database.
 */
type Store = "PostgreSQL" | "the embedded store"

describe.each<[Runtime, Store]>([
  ["node", "PostgreSQL"],
  ["bun", "PostgreSQL"],
  ["node", "the embedded store"],
  ["bun", "the embedded store"]
])("a server on %s over %s", (runtime, store) => {
  const servers = useServers()
  let endpoints: Awaited<ReturnType<typeof serveAnswers>>
  beforeAll(async () => {
    endpoints = await serveAnswers()
  })
  afterAll(() => endpoints.stop())

  it("survives the corpus within the stall budget", { timeout: 600_000 }, async () => {
    const server = servers.start(runtime, {
      SVC_SMTP_PORTS: "0/tls",
      SVC_WEBHOOK_ALLOW_PRIVATE: "true",
      NODE_OPTIONS: "--max-old-space-size=512 --max-semi-space-size=4",
      ...(store === "PostgreSQL" ? { SVC_STORE: await freshDatabase() } : {})
    })
    const { baseUrl, managementToken, sandbox, smtp } = await server.ready()
    const token = managementToken!
    const accounts = [
      await openAccount(baseUrl, token, sandbox!.accountId),
      await openAccount(baseUrl, token, await addCompany(baseUrl, token))
    ] as const
    const corpus = membersOf({ baseUrl, token, accounts, smtp: smtp[0]!, endpoints, runtime })
    const prober = await startProber(`${baseUrl}/health/live`, server.pid)
    const quiet = await openAccount(baseUrl, token, await addCompany(baseUrl, token))
    const failed: Array<string> = []
    const times: Array<{ name: string; from: number; to: number }> = []
    const run = async ({ name, send }: Member) => {
      const from = Date.now()
      await send().catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
      times.push({ name, from, to: Date.now() })
    }
    const { answers, beforeStore, contents, largest, stored } = corpus
    const isWhole = store === "PostgreSQL"
    await Promise.all([
      inLanes(isWhole ? answers : [], run),
      // Another account's work is not delayed meanwhile.
      run({ name: "an email of a quiet account", send: () => worksAsBefore(baseUrl, quiet.key) }),
      (async () => {
        for (const member of isWhole ? [...beforeStore.bodies, ...largest] : largest) await run(member)
        for (const members of isWhole ? [...beforeStore.lanes, ...stored, ...contents] : stored) {
          await inLanes(members, run)
        }
      })()
    ])
    const { count, faults, probes } = await prober.stop()
    const late = probes
      // If other processes use the CPU, the server is also slower while it runs.
      .filter((probe) => ownMillis(probe) > (probe.queuedMillis > 50 ? 2 : 1) * maxMillis)
      .map((probe) => ({
        ...probe,
        during: times
          .filter(({ from, to }) => from <= probe.at + probe.millis && to >= probe.at)
          .map(({ name }) => name)
      }))
    expect(failed).toEqual([])
    expect(late).toEqual([])
    expect(faults).toEqual([])
    expect(count).toBeGreaterThan(50)
    expect(await peakMegabytes(server.pid)).toBeLessThan(maxMegabytes[runtime])
    for (const { key } of accounts) await worksAsBefore(baseUrl, key)
    expect(server.err()).toBe("")
    await servers.stop(server)
  })
})

/** The peak memory of a process, in megabytes. */
const peakMegabytes = async (pid: number): Promise<number> =>
  Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Runs all members, some of them concurrently. */
const inLanes = async (members: ReadonlyArray<Member>, run: (member: Member) => Promise<void>) => {
  const left = [...members]
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

const addCompany = async (baseUrl: string, token: string): Promise<string> => {
  const { value } = await api<{ sandbox: { accountId: string } }>(baseUrl, token, "/manage/v1/companies", {
    name: "Another"
  })
  return value.sandbox.accountId
}

const openAccount = async (baseUrl: string, token: string, id: string): Promise<Account> => {
  await liftRateLimit(baseUrl, token, id)
  const path = `/manage/v1/accounts/${id}`
  await api(baseUrl, token, `${path}/domains`, { domain: "mail.example" })
  await fetch(`${baseUrl}${path}/settings`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ defaultSender: { email: "a@mail.example", name: "A" } })
  })
  const permissions = ["contacts:read", "contacts:write", "events:write", "emails:send", "emails:read"]
  const key = await api<{ key: string }>(baseUrl, token, `${path}/api-keys`, {
    name: "Hostile",
    permissions: [...permissions, "items:read", "items:write", "orders:read"],
    expiresInDays: null
  })
  const connect = (platform: string) =>
    api<{ id: string; token: string }>(baseUrl, token, `${path}/stores`, {
      platform,
      name: "Shop",
      domain: `${platform}.example`,
      consentMode: "Explicit",
      webhookSecret: secret
    })
  const [store, shop] = [await connect("Custom"), await connect("Shopify")]
  expect([key.codes, store.codes, shop.codes]).toEqual([[], [], []])
  return { id, key: key.value.key, store: store.value, shop: shop.value }
}

/** Expects that an email of the account arrives. */
const worksAsBefore = async (baseUrl: string, key: string) => {
  const written = await api<{ contact: { firstName: string } }>(baseUrl, key, "/api/v1/contacts", {
    email: `${randomUUID()}@after.example`,
    firstName: "Ada"
  })
  expect([written.status, written.value.contact.firstName]).toEqual([201, "Ada"])
  const sent = await api<{ id: string }>(baseUrl, key, "/api/v1/sending/emails", {
    from: "a@mail.example",
    to: "ada@after.example",
    subject: "s",
    text: "t"
  })
  expect([sent.status, sent.codes]).toEqual([201, []])
  await delivered(baseUrl, key, sent.value.id, 60_000)
}

/** Serves the responses of webhook endpoints, each at its own path. */
const serveAnswers = async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    socket.once("data", (head: Buffer) => {
      const index = Number(/^POST \/(\d+) /.exec(head.toString("latin1"))?.[1])
      void hostileAnswers[index]?.answer(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { port: number }
  return {
    urlOf: (index: number) => `http://127.0.0.1:${port}/${index}`,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

interface Service {
  readonly baseUrl: string
  readonly token: string
  readonly accounts: readonly [Account, Account]
  readonly smtp: { readonly host: string; readonly port: number; readonly tls: boolean }
  readonly endpoints: { readonly urlOf: (index: number) => string }
  readonly runtime: Runtime
}

/** Every member of the corpus, with a function that sends it. */
const membersOf = ({ accounts, baseUrl, endpoints, runtime, smtp, token }: Service) => {
  const [first, second] = accounts
  let turn = 0
  /** The accounts alternate, so that each uses up its share of what is limited per account. */
  const next = () => accounts[turn++ % 2]!

  /** Sends a body. That the server closes the connection meanwhile also counts as a response. */
  const send = async (
    door: Credentials,
    path: string,
    body: Bytes,
    type = "application/json",
    account = first
  ): Promise<{ status: number; text: string }> => {
    const [base, headers] = doorOf(door, path, account, token, body)
    const response = await fetch(baseUrl + base, {
      method: "POST",
      headers: { "content-type": type, ...headers },
      body
    }).catch(() => null)
    const text = (await response?.text().catch(() => null)) ?? ""
    return { status: response?.status ?? 0, text }
  }
  /** Like `send`, but fails on a response that is neither a rejection nor a success. */
  const sendAny = async (...sent: Parameters<typeof send>) => {
    const { status, text } = await send(...sent)
    if (status >= 500 && status !== 503) throw new Error(`${status} ${text.slice(0, 300)}`)
  }

  const bodyOf = ({ code, door, make, name, path, status }: LargeBody): Member => ({
    name,
    send: async () => {
      const answer = await send(door, path, make())
      expect(answer.status).toBe(status)
      expect(answer.text).toContain(code ?? "")
    }
  })
  const atOnce = hostileBodies.slice(0, lanes).map(({ door, make, name, path }) => ({
    name: `${name}, at once`,
    send: () => sendAny(door, path, make())
  }))
  const documents = [...brokenDocuments, ...costlyDocuments].map(({ make, name }) => ({
    name,
    send: async () => {
      const body = make()
      for (const path of ["/contacts", "/events"]) await sendAny("api", path, body, undefined, next())
    }
  }))
  const requests = hostileRequests.map(({ contentType, door, make, name, path }) => ({
    name: `${path}: ${name}`,
    send: () => sendAny(door, path, make(), contentType, next())
  }))
  const heads = hostileHeads.map(({ make, name }) => ({
    name,
    send: async () => {
      // Bun parses everything in a packet before anything else, so it gets smaller packets.
      const { statuses } = await sendRaw(baseUrl, make(runtime === "bun" ? 0.4 : 1))
      expect(statuses.every((status) => status < 500 || status === 503)).toBe(true)
    }
  }))
  const lists = ["/emails", "/events", "/suppressions", "/inbox", "/audit-log", "/stats"]
  const queries = hostileQueries.map(({ make, name }) => ({
    name,
    send: async () => {
      for (const path of lists) {
        const { status } = await fetch(`${baseUrl}/manage/v1/accounts/${next().id}${path}${make()}`, {
          headers: { authorization: `Bearer ${token}` }
        })
        expect([path, status]).toEqual([path, expect.toBeOneOf([200, 400, 431, 503])])
      }
    }
  }))
  const texts = hostileTexts.map(({ make, name }) => ({
    name,
    send: async () => {
      const text = make()
      const contact = { email: text, firstName: text, attributes: { [text]: text }, topics: { [text]: true } }
      await sendAny("api", "/contacts", JSON.stringify(contact))
      const email = { to: text, subject: text, html: text, tags: { [text]: text }, idempotencyKey: text }
      await sendAny("api", "/sending/emails", JSON.stringify(email))
      const rules = [{ fieldKey: "city", operator: "Contains", value: make(0.0002) }]
      await sendAny("manage", "/segments/preview", JSON.stringify({ definition: { join: "All", rules } }))
    }
  }))
  const messages = hostileMessages.map(({ make, name }) => ({
    name,
    send: async () => {
      const client = await loggedIn(smtp, next().key)
      // Accepted, rejected for its content or cost, or to be sent again later.
      expect(await client.send(["ada@example.org"], make())).toMatch(/^(?:250|55[024]|451) /)
      client.close()
    }
  }))
  const addTemplate = (html: string, { id } = next()) =>
    api<{ id: string }>(baseUrl, token, `/manage/v1/accounts/${id}/templates`, {
      name: "t",
      subject: "s",
      html
    })
  const sources = hostileSources.map(({ make, name }) => ({
    name,
    send: async () => expect((await addTemplate(make().html)).status).toBeOneOf([201, 400, 503])
  }))
  const renders = hostileRenders.map(({ make, name }) => ({
    name,
    send: async () => {
      const account = next()
      const { html, variables } = make()
      const made = await addTemplate(html, account)
      expect(made.codes).toEqual([])
      const email = { to: "ada@example.org", templateId: made.value.id, variables }
      const sent = await api(baseUrl, account.key, "/api/v1/sending/emails", email)
      expect(sent.status).toBeOneOf([201, 400, 503])
    }
  }))
  const files = hostileFiles.map(({ make, name }) => ({
    name,
    send: async () => {
      const account = next()
      const { text } = await send("manage", "/imports", make(), "text/csv", account)
      const id = (JSON.parse(text === "" ? "{}" : text) as { value?: { id: string } | null }).value?.id
      if (id === undefined) return
      const path = `/manage/v1/accounts/${account.id}/imports/${id}`
      const isOver = async () => (await api<{ status: string }>(baseUrl, token, path)).value.status
      await expect.poll(isOver, { timeout: 240_000 }).toMatch(/Completed|Failed/)
    }
  }))
  const answers = hostileAnswers.map(({ name }, index) => ({
    name,
    send: async () => {
      const path = `/manage/v1/accounts/${(index % 2 === 0 ? first : second).id}/webhooks`
      const made = await api<{ id: string }>(baseUrl, token, path, {
        url: endpoints.urlOf(index),
        events: []
      })
      expect(made.codes).toEqual([])
      await api(baseUrl, token, `${path}/${made.value.id}/test`, {})
      const log = async () =>
        (await api<{ totalCount: number }>(baseUrl, token, `${path}/${made.value.id}/deliveries`)).value
          .totalCount
      await expect.poll(log, { timeout: 60_000, interval: 200 }).toBeGreaterThan(0)
      await fetch(`${baseUrl}${path}/${made.value.id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}` }
      })
    }
  }))
  return {
    answers,
    largest: largestBodies.map(bodyOf),
    beforeStore: {
      bodies: [...hostileBodies, ...brokenBodies].map(bodyOf),
      lanes: [atOnce, documents, heads]
    },
    stored: [requests, queries, texts],
    contents: [messages, sources, renders, files]
  }
}

/** The path of a request, and the headers that authenticate it. */
const doorOf = (
  door: Credentials,
  path: string,
  account: Account,
  token: string,
  body: Bytes
): readonly [path: string, headers: Readonly<Record<string, string>>] => {
  switch (door) {
    case "api":
      return [`/api/v1${path}`, { authorization: `Bearer ${account.key}` }]
    case "manage":
      return [`/manage/v1/accounts/${account.id}${path}`, { authorization: `Bearer ${token}` }]
    case "store":
      return [
        `/ingest/v1/stores/${account.store.id}${path}`,
        { authorization: `Bearer ${account.store.token}` }
      ]
    case "shopify":
      return [
        `/ingest/v1/stores/${account.shop.id}/shopify`,
        {
          "x-shopify-hmac-sha256": createHmac("sha256", secret).update(body).digest("base64"),
          "x-shopify-topic": path,
          "x-shopify-webhook-id": randomUUID()
        }
      ]
    case "none":
      return [path, {}]
  }
}
