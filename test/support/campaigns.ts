/**
 * A service in this process with a live account, whose campaigns are sent through the test's own transport.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { expect } from "vitest"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { type Options, start } from "../../runtimes/embedded/index.ts"
import { call } from "./client.ts"
import { makeFakeTransport } from "./fakeTransport.ts"

/** The fields of a campaign that these tests read. */
export interface SentCampaign {
  readonly id: string
  readonly status: string
  readonly statusReason: string | null
  readonly stats: Readonly<
    Record<"audience" | "cancelled" | "heldOut" | "pending" | "skipped" | "submitted", number>
  >
}

/** The storages of these tests, by name. PostgreSQL is the server of the test run. */
export type Stores = Readonly<Record<string, () => Promise<NonNullable<Options["store"]>>>>

/** Starts the service on data set up by another service of this module. */
export const openCampaigns = async (options: Options) => {
  const transport = makeFakeTransport()
  const service = await start({
    ...options,
    transport: Context.get(
      await Effect.runPromise(Effect.scoped(Layer.build(transport.layer))),
      MailTransport
    )
  })
  const { accountId, apiKey } = service.live
  const target = {
    fetch: (path: string, init?: RequestInit) => service.fetch(new Request(service.baseUrl + path, init))
  }
  const send = async <Value>(token: string, method: string, path: string, json?: unknown) => {
    const answer = await call<Value>(target, method, path, { token, ...(json !== undefined && { json }) })
    expect([path, answer.codes]).toEqual([path, []])
    return answer.value
  }
  const manage = <Value>(method: string, path: string, json?: unknown) =>
    send<Value>(service.managementToken, method, `/manage/v1/accounts/${accountId}${path}`, json)
  const api = <Value>(method: string, path: string, json?: unknown) =>
    send<Value>(apiKey, method, `/api/v1${path}`, json)
  const campaign = (id: string) => {
    const path = `/campaigns/${id}`
    const act = (action: string) => manage<SentCampaign>("POST", `${path}/${action}`, {})
    return {
      id,
      act,
      read: () => manage<SentCampaign>("GET", path),
      isCounted: async () => (await manage<{ readonly equal: boolean }>("POST", `${path}/recount`, {})).equal
    }
  }
  return {
    api,
    campaign,
    manage,
    service,
    target,
    transport,
    /** Adds people of one city. Returns their ids and the segment that selects them. */
    addPeople: async (city: string, count: number) => {
      const ids: Array<string> = []
      for (let from = 0; from < count; from += 1_000) {
        const contacts = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => ({
          email: `p${from + index}@${city}.example`,
          city,
          consent: { basis: "Customer" }
        }))
        const { results } = await api<{ results: ReadonlyArray<{ id: string }> }>("POST", "/contacts/batch", {
          contacts
        })
        ids.push(...results.map(({ id }) => id))
      }
      const { id } = await manage<{ readonly id: string }>("POST", "/segments", {
        name: city,
        definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: city }] }
      })
      return { segment: id, ids }
    },
    /** Creates a draft campaign whose subject is its name. */
    draft: async (name: string, segment: string, write: object = {}) => {
      const { id } = await manage<SentCampaign>("POST", "/campaigns", {
        name,
        content: { subject: name, html: `<p>{{ contact.email }}</p>` },
        audience: { segments: [segment] },
        ...write
      })
      return campaign(id)
    },
    /** The addresses to which a campaign's message was sent, sorted. */
    reached: (name: string) =>
      transport.left
        .filter(({ subject }) => subject === name)
        .map(({ recipient }) => recipient)
        .toSorted()
  }
}

/** Starts the service with a verified domain. */
export const startCampaigns = async (options: Options) => {
  const world = await openCampaigns(options)
  await world.service.publish("own.example")
  await world.manage("PATCH", "/settings", {
    defaultSender: { email: "hello@own.example" },
    rateLimitPerMinute: 100_000
  })
  return world
}

/** A running service. */
export type Campaigns = Awaited<ReturnType<typeof openCampaigns>>
