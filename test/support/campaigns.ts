/**
 * A service in this process with a live account that sends campaigns by a transport of the test's.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { expect } from "vitest"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { type Options, start } from "../../runtimes/embedded/index.ts"
import { call } from "./client.ts"
import { makeFakeTransport } from "./fakeTransport.ts"

/** A campaign as far as these tests read it. */
export interface SentCampaign {
  readonly id: string
  readonly status: string
  readonly statusReason: string | null
  readonly stats: Readonly<
    Record<"audience" | "cancelled" | "heldOut" | "pending" | "skipped" | "submitted", number>
  >
}

/** Where these tests keep their data, by name; PostgreSQL is that of the test run. */
export type Stores = Readonly<Record<string, () => Promise<NonNullable<Options["store"]>>>>

/** Starts the service on data that another one of this module set up. */
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
    /** Adds people of a city, whose segment it returns with their ids. */
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
    /** Makes a campaign of which the name is the subject. */
    draft: async (name: string, segment: string, write: object = {}) => {
      const { id } = await manage<SentCampaign>("POST", "/campaigns", {
        name,
        content: { subject: name, html: `<p>{{ contact.email }}</p>` },
        audience: { segments: [segment] },
        ...write
      })
      return campaign(id)
    },
    /** Those whose message of a campaign left, in order of their addresses. */
    reached: (name: string) =>
      transport.left
        .filter(({ subject }) => subject === name)
        .map(({ recipient }) => recipient)
        .toSorted()
  }
}

/** Starts the service, with a verified domain. */
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
