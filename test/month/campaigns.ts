/**
 * The campaigns of the simulated month: one every few days, sent at once, at a local time, with a test of variants or at a pace,
 * and paused and resumed at random, while mail servers defer, a provider accepts nothing and the domain has no records.
 *
 * @module
 */
import { expect } from "vitest"
import { makeSeededRandom } from "../../runtimes/embedded/SeededRandom.ts"
import type { Embedded } from "../../runtimes/embedded/index.ts"
import type { Page } from "../support/shapes.ts"
import { type Company, withoutNames } from "./company.ts"
import type { Model } from "./Model.ts"

interface Campaign {
  readonly id: string
  readonly status: string
  readonly statusReason: string | null
  readonly stats: Readonly<
    Record<"audience" | "cancelled" | "heldOut" | "pending" | "retrying" | "skipped" | "submitted", number>
  >
}

/** The number of hours between two campaigns. */
const apart = 60
const kinds = ["now", "local", "test", "paced", "cancelled"] as const

/** Whether the domain has no records in an hour, or its state may not reflect its records yet. */
const isWithoutNames = (hour: number): boolean =>
  hour >= withoutNames.from * 24 && hour < (withoutNames.to + 1) * 24

/** Makes the actions of an hour. */
export const makeCampaigns = (
  {
    company,
    model,
    service
  }: { readonly company: Company; readonly model: Model; readonly service: Embedded },
  seed: string
) => {
  const { account } = company
  const random = makeSeededRandom(`campaigns ${seed}`)
  const chance = () => random.nextDoubleUnsafe()
  const launched: Array<{ readonly id: string; readonly subject: string; status: string }> = []
  const manage = async <Value>(method: string, path: string, json?: unknown) => {
    const answer = await account.manage<Value>(method, path, json)
    expect([path, answer.codes]).toEqual([path, []])
    return answer.value
  }
  const act = (id: string, action: string) => manage<Campaign>("POST", `/campaigns/${id}/${action}`, {})
  const read = (id: string) => manage<Campaign>("GET", `/campaigns/${id}`)

  const launch = async (hour: number) => {
    const { items: segments } = await manage<
      Page<{ readonly id: string; readonly builtInKey: string | null }>
    >("GET", "/segments")
    const everyone = segments.find(({ builtInKey }) => builtInKey === "all")!.id
    const number = launched.length
    const kind = kinds[number % kinds.length]!
    const subject = `Marketing ${number}`
    const content = {
      subject,
      html: `<p>{{ contact.firstName }}</p><a href="https://shop.example/c">Look</a>`
    }
    const localAt = service.now() + 30 * 3_600_000
    const variants = ["a", "b"].map((id) => ({ id, content }))
    const test = { variants, share: 40, metric: "Opens", after: "PT6H" }
    const { id } = await manage<Campaign>("POST", "/campaigns", {
      name: `Month ${hour}`,
      audience: { segments: [everyone] },
      ...(kind === "test" ? { test } : { content }),
      ...(kind === "local" && {
        schedule: { localTime: new Date(localAt).toISOString().slice(0, 16), late: "SendNow" }
      }),
      ...(kind === "paced" && { holdoutPercent: 10 }),
      // Slow enough that a campaign to be cancelled is not sent before.
      ...((kind === "paced" || kind === "cancelled") && { pace: { emails: 10, per: "Hour" } })
    })
    if (kind === "local") model.notBefore.set(subject, localAt - (localAt % 60_000))
    const { codes } = await account.manage("POST", `/campaigns/${id}/launch`, {})
    // While the domain has no records, the service rejects the launch as soon as it has noticed.
    if (codes.length > 0) {
      expect([hour, codes, isWithoutNames(hour)]).toEqual([hour, codes, true])
      expect(codes[0]).toMatch(/^deliverability\.sender_(?:domain_not_verified|not_aligned)$/)
      return
    }
    launched.push({ id, subject, status: kind === "cancelled" ? "Doomed" : "Sending" })
  }

  return {
    /** Launches, pauses, resumes and cancels. */
    operate: async (hour: number, isActive: boolean) => {
      for (const campaign of launched) {
        const { id, status, subject } = campaign
        if (status === "Doomed" && chance() < 0.3) {
          const { stats, status: actual } = await read(id)
          // A sent campaign can still be cancelled while its emails are retried.
          if (actual !== "Sent" || stats.retrying > 0) {
            await act(id, "cancel")
            model.stopped.add(subject)
          }
          campaign.status = "Over"
        } else if (status === "Sending" && isActive && chance() < 0.3) {
          if ((await read(id)).status !== "Sending") continue
          await act(id, "pause")
          model.stopped.add(subject)
          campaign.status = "Paused"
        } else if (status === "Sending" && !isWithoutNames(hour)) {
          // The service paused it in the meantime, because its domain had no records.
          const { status: actual, statusReason } = await read(id)
          if (actual !== "Paused") continue
          expect(statusReason).toBe("campaigns.sender_failing")
          await act(id, "resume")
        } else if (status === "Paused" && !isWithoutNames(hour) && (!isActive || chance() < 0.25)) {
          model.stopped.delete(subject)
          await act(id, "resume")
          campaign.status = "Sending"
        }
      }
      if (isActive && hour % apart === 20) await launch(hour)
    },
    /** Returns every campaign, and checks that its counts add up to its audience and equal a recount. */
    ended: async () => {
      const statuses = new Set<string>()
      for (const { id } of launched) {
        const { stats, status } = await read(id)
        statuses.add(status)
        const { audience, cancelled, heldOut, pending, skipped, submitted } = stats
        expect(pending).toBe(0)
        expect(audience).toBe(cancelled + heldOut + skipped + submitted)
        expect(
          (await manage<{ readonly equal: boolean }>("POST", `/campaigns/${id}/recount`, {})).equal
        ).toBe(true)
      }
      return { count: launched.length, statuses: [...statuses].toSorted() }
    }
  }
}
