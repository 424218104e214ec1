/**
 * The company whose month is lived: an account with all that can be set up, and what its operator does to it.
 *
 * @module
 */
import { expect } from "vitest"
import type { Domain } from "../support/liveDomain.ts"
import type { Page } from "../support/shapes.ts"
import { connectStore } from "../support/stores.ts"
import type { Door } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"
import { flowWrites } from "./flows.ts"
import { fateOf, type World } from "./world.ts"

interface Webhook {
  readonly url: string
  readonly status: string
}

const day = 86_400_000

/** Days, from the first, on which the name servers know nothing of the company's domain. */
export const withoutNames = { from: 10, to: 15 }
/** Days on which the patient webhook's address is down. */
const down = { from: 4, to: 7 }

/** The times of retention. */
export const retention = { contentDays: 6, recipientDays: 20 }

/**
 * Where the account's webhooks are: one that takes everything but what it cannot read, one that is down for days, one
 * that is never up.
 */
const urls = {
  good: "https://good.example/hook",
  patient: "https://patient.example/hook",
  dead: "https://dead.example/hook"
}

/** Sets the company up. `startAt` is the month's beginning; `people` is how many there will be. */
export const openCompany = async (door: Door, world: World, startAt: number, people: number) => {
  const { live: account } = await openWorkspace(door, "Month")
  const manage = async <Value>(path: string, json?: unknown, method = "POST") => {
    const answer = await account.manage<Value>(method, path, json)
    expect([path, answer.status < 300, answer.codes]).toEqual([path, true, []])
    return answer.value
  }
  /** As many a day as are usually written; what the days without a domain held back takes longer. */
  const dailySendLimit = Math.floor(people * 0.7)
  const domain = await manage<Domain>("/domains", { domain: "month.example" })
  world.publish(domain.records)
  expect((await manage<Domain>(`/domains/${domain.id}/verify`)).status).toBe("Verified")
  await manage(
    "/settings",
    {
      defaultSender: { email: "hello@month.example", name: "Month" },
      autoCreateAttributes: true,
      tracking: { opens: true, clicks: true },
      flowTracking: { opens: true, clicks: true },
      retentionDays: retention.contentDays,
      recipientRetentionDays: retention.recipientDays,
      dailySendLimit
    },
    "PATCH"
  )
  await manage("/topics", { key: "news", name: "News" })
  await account.api("POST", "/contact-attributes", { key: "plan", type: "Text" })
  world.answer(urls.dead, () => 500)
  // Of what the import of half of all people says few enough that their next attempts, in a row, do not stop it.
  const unreadable = Math.min(0.005, 5 / people)
  world.answer(urls.good, (_, id) => (fateOf(id) < unreadable ? 400 : 204))
  world.answer(urls.patient, (now) => {
    const at = (now - startAt) / day
    return at >= down.from && at < down.to ? 503 : 200
  })
  for (const url of [urls.good, urls.dead]) await manage("/webhooks", { url, events: [] })
  let patient = await manage<{ readonly id: string }>("/webhooks", {
    url: urls.patient,
    events: ["email.bounced"]
  })
  let flowId = ""
  for (const write of flowWrites) {
    const { id } = await manage<{ id: string }>("/flows", write)
    await manage(`/flows/${id}/publish`)
    flowId = id
  }
  const { token, triggerUrl } = await manage<{ token: string; triggerUrl: string }>(
    `/flows/${flowId}/trigger-token`
  )
  const shop = await connectStore(door, account, { domain: "shop.month.example", consentMode: "Notice" })

  return {
    account,
    shop,
    dailySendLimit,
    flowToken: token,
    triggerPath: new URL(triggerUrl).pathname,
    /** What the operator, and those who run the names, do in an hour. */
    operate: async (hour: number) => {
      if (hour === withoutNames.from * 24) world.publish([])
      if (hour === withoutNames.to * 24) world.publish(domain.records)
      // One that was stopped meanwhile is deleted and added again.
      if (hour === (down.to + 1) * 24) {
        await manage(`/webhooks/${patient.id}`, undefined, "DELETE")
        patient = await manage<{ readonly id: string }>("/webhooks", {
          url: urls.patient,
          events: ["email.bounced"]
        })
        world.added(urls.patient)
      }
      if (hour === 20 * 24) await manage(`/webhooks/${patient.id}/rotate-secret`)
    },
    /** What the month is to have shown of the operator's affairs. */
    standing: async () => {
      const domains = await manage<Page<Domain>>("/domains", undefined, "GET")
      const webhooks = await manage<Page<Webhook>>("/webhooks", undefined, "GET")
      return {
        domain: domains.items[0]!.status,
        webhooks: Object.fromEntries(webhooks.items.map(({ status, url }) => [url, status]))
      }
    }
  }
}

/** The company. */
export type Company = Awaited<ReturnType<typeof openCompany>>
