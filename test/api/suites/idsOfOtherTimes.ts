/**
 * Tests ids with unusual times. An id contains the time at which it was made. Ids of the years 1970 and 9999, and with no time at
 * all, must get the same response as any other unknown id, wherever an id can be given.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, call } from "../../support/client.ts"
import { allEndpoints } from "../../support/endpoints.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const ids = {
  "the first moment": "00000000-0000-7000-8000-000000000000",
  "the year 1970": "00000000-0001-7000-8000-000000000001",
  "the year 9999": "e677d21f-dbff-7fff-bfff-fffffffffffe",
  "the last moment": "ffffffff-ffff-7fff-bfff-ffffffffffff",
  "no version": "ffffffff-ffff-ffff-ffff-ffffffffffff"
}

const unknown = (): string => {
  const digits = Date.now().toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${randomUUID().slice(15)}`
}

const responseOf = ({ codes, envelope, fields, status }: Answer<unknown>) => ({
  status,
  codes,
  fields,
  value: envelope?.isSuccess === true ? envelope.value : null
})

/** Filters and references that take an id. */
const queries = [
  "/contacts?segment=",
  "/contacts?storeId=",
  "/contacts?q=",
  "/emails?contactId=",
  "/emails?keyId=",
  "/emails?flowId=",
  "/emails?campaignId=",
  "/emails?templateId=",
  "/emails?q=",
  "/events?contactId=",
  "/events?q=",
  "/notifications?webhookId=",
  "/notifications?q=",
  "/requests?keyId=",
  "/requests?q=",
  "/orders?storeId=",
  "/items?storeId=",
  "/audit-log?actorId=",
  "/audit-log?target=",
  "/campaigns?segment=",
  "/search?q=",
  "/explain?contact=email:unknown@x.example&email=",
  "/explain?contact=email:unknown@x.example&flow=",
  "/explain?contact=email:unknown@x.example&campaign="
]

/** A position of ids in a route: for ids of resources, or for those of the account and the company. */
interface Place {
  readonly route: string
  readonly method: string
  readonly pathOf: (id: string) => string
}

const isOwner = (name: string): boolean => name === "accountId" || name === "companyId"

/** The positions of ids in every route, with the owners' ids in the other positions. */
const placesOf = async (owners: Readonly<Record<string, string>>): Promise<ReadonlyArray<Place>> =>
  (await allEndpoints()).flatMap(({ method, path }) => {
    if (!/^\/(?:api|manage)\/v1\/.*:/.test(path)) return []
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)
    const asked = names.filter((name) => /^(?:id|reference|\w+Id)$/.test(name))
    return [asked.filter((name) => !isOwner(name)), asked.filter(isOwner)]
      .filter(({ length }) => length > 0)
      .map((replaced) => ({
        route: `${method} ${path}`,
        method,
        pathOf: (id: string) =>
          path.replaceAll(/:(\w+)/g, (_, name: string) =>
            replaced.includes(name) ? id : (owners[name] ?? "1")
          )
      }))
  })

export const idsOfOtherTimesSuite = (target: () => Target) =>
  describe("ids of other times", () => {
    let account: TestAccount
    let places: ReadonlyArray<Place>
    /** The response of each position to an unknown id of today. */
    let usual: Array<unknown>
    beforeAll(async () => {
      const company = await openWorkspace(target(), "Ids")
      account = company.sandbox
      const event = { id: unknown(), name: "user.seen", contact: { externalId: "known" } }
      await account.api("POST", "/events", { events: [event] })
      places = await placesOf({ accountId: account.accountId, companyId: company.companyId })
      expect(places.length).toBeGreaterThan(150)
      usual = []
      for (const { method, pathOf, route } of places) {
        usual.push([route, await send(method, pathOf(unknown()))])
      }
    })

    const send = async (method: string, path: string) => {
      const token = path.startsWith("/api/") ? account.key : target().managementToken
      return responseOf(
        await call(target(), method, path, {
          token,
          ...(/^(?:GET|DELETE)$/.test(method) ? {} : { json: {} })
        })
      )
    }

    it.each(Object.entries(ids))("are unknown to every route: %s", async (_, id) => {
      const found: Array<unknown> = []
      for (const { method, pathOf, route } of places) found.push([route, await send(method, pathOf(id))])
      expect(found).toEqual(usual)
    })

    it.each(Object.entries(ids))("find nothing in a filter, a search and a reference: %s", async (_, id) => {
      for (const query of queries) {
        const [found, expected] = [id, unknown()].map((given) => account.manage("GET", query + given))
        expect([query, responseOf(await found!)]).toEqual([query, responseOf(await expected!)])
      }
    })

    it.each(Object.entries(ids))("are taken in bodies as other unknown ones: %s", async (_, id) => {
      const bodies: ReadonlyArray<readonly ["api" | "manage", string, (given: string) => unknown]> = [
        ["api", "/sending/emails", (templateId) => ({ to: "ada@example.org", templateId })],
        ["manage", "/contacts/bulk", (one) => ({ ids: [one], action: { kind: "AddTag", tag: "a" } })],
        ["manage", "/contacts", (storeId) => ({ email: "ada@example.org", storeId })],
        ["manage", `/flows/${unknown()}/start`, (contactId) => ({ contactId })],
        ["manage", `/webhooks/${unknown()}/resend`, (one) => ({ notificationIds: [one] })],
        ["manage", `/templates/${unknown()}/test`, (contactId) => ({ to: ["ada@example.org"], contactId })]
      ]
      for (const [door, path, bodyOf] of bodies) {
        const sent = async (given: string) => {
          const { codes, fields, status } = await account[door]("POST", path, bodyOf(given))
          return { codes, fields, status }
        }
        expect([path, await sent(id)]).toEqual([path, await sent(unknown())])
      }
    })

    it.each(Object.entries(ids))("are an event's own id, once: %s", async (_, id) => {
      const report = () =>
        account.api("POST", "/events", {
          events: [{ id, name: "user.seen", contact: { externalId: "known" } }]
        })
      const first = await report()
      const again = await report()
      expect([first.status, again.status]).toEqual([200, 200])
      const listed = await account.manage<Page<{ readonly eventId: string }>>("GET", `/events?q=${id}`)
      expect(listed.value.items.map((event) => event.eventId)).toEqual([id])
    })
  })
