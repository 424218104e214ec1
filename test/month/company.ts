/**
 * The company of the simulated month: an account with everything set up, and the actions of its operator.
 *
 * @module
 */
import { expect } from "vitest"
import type { Domain } from "../support/liveDomain.ts"
import type { Page } from "../support/shapes.ts"
import { connectStore } from "../support/stores.ts"
import type { EntryPoint } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"
import { flowWrites } from "./flows.ts"
import { fractionOf, type Environment } from "./environment.ts"

interface Webhook {
  readonly url: string
  readonly status: string
}

const day = 86_400_000

/** The days, counted from the first one, on which the name servers have no records of the company's domain. */
export const withoutNames = { from: 10, to: 15 }
/** The days on which the address of the patient webhook is down. */
const down = { from: 4, to: 7 }

/** The retention settings. */
export const retention = { contentDays: 6, recipientDays: 20 }

/**
 * The URLs of the account's webhooks: one that accepts all notifications except a few malformed ones, one that is down for days,
 * and one that is always down.
 */
const urls = {
  good: "https://good.example/hook",
  patient: "https://patient.example/hook",
  dead: "https://dead.example/hook"
}

/** Sets the company up. `startAt` is the beginning of the month; `people` is the number of people at its end. */
export const openCompany = async (
  entryPoint: EntryPoint,
  environment: Environment,
  startAt: number,
  people: number
) => {
  const { live: account } = await openWorkspace(entryPoint, "Month")
  const manage = async <Value>(path: string, json?: unknown, method = "POST") => {
    const answer = await account.manage<Value>(method, path, json)
    expect([path, answer.status < 300, answer.codes]).toEqual([path, true, []])
    return answer.value
  }
  /** The emails of an ordinary day. Those that waited for the domain take several days. */
  const dailySendLimit = Math.floor(people * 1.2)
  const domain = await manage<Domain>("/domains", { domain: "month.example" })
  environment.publish(domain.records)
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
      dailySendLimit,
      // Its people complain more often than an account's standing allows.
      standingHolds: false
    },
    "PATCH"
  )
  await manage("/topics", { key: "news", name: "News" })
  await account.api("POST", "/contact-attributes", { key: "plan", type: "Text" })
  environment.respond(urls.dead, () => 500)
  // So few notifications of the first import fail that the retries do not stop the webhook by successive failures.
  const unreadable = Math.min(0.005, 5 / people)
  environment.respond(urls.good, (_, id) => (fractionOf(id) < unreadable ? 400 : 204))
  environment.respond(urls.patient, (now) => {
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
  const shop = await connectStore(entryPoint, account, {
    domain: "shop.month.example",
    consentMode: "Notice"
  })

  return {
    account,
    shop,
    dailySendLimit,
    flowToken: token,
    triggerPath: new URL(triggerUrl).pathname,
    /** Performs the operator's actions of an hour, and the changes to the name servers. */
    operate: async (hour: number) => {
      if (hour === withoutNames.from * 24) environment.publish([])
      if (hour === withoutNames.to * 24) environment.publish(domain.records)
      // The webhook was stopped in the meantime, so it is deleted and added again.
      if (hour === (down.to + 1) * 24) {
        await manage(`/webhooks/${patient.id}`, undefined, "DELETE")
        patient = await manage<{ readonly id: string }>("/webhooks", {
          url: urls.patient,
          events: ["email.bounced"]
        })
        environment.added(urls.patient)
      }
      if (hour === 20 * 24) await manage(`/webhooks/${patient.id}/rotate-secret`)
    },
    /** The status of the domain and of the webhooks. */
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

export type Company = Awaited<ReturnType<typeof openCompany>>
