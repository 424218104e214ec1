/**
 * The campaigns of a simulated month: one by local time, one with a test of variants, and one with a pace, paused and resumed
 * at random.
 *
 * @module
 */
import { expect } from "vitest"
import { makeSeededRandom } from "../../runtimes/embedded/SeededRandom.ts"
import type { TestAccount } from "../support/workspace.ts"

interface Campaign {
  readonly id: string
  readonly status: string
  readonly stats: Readonly<Record<"audience" | "pending" | "submitted", number>>
}

/** What is in the subject of each campaign's email, by which the model knows it. */
export const campaignSubject = /^Campaign \d+/

const html = `<p>Hello {{ contact.firstName }}</p><a href="https://shop.example/c">Look</a>`
const content = (subject: string) => ({ subject, html })

/** A time of a later day by the clock of each person. */
const localTime = (now: number): string =>
  `${new Date(now + 2 * 86_400_000).toISOString().slice(0, 10)}T09:00`

/** The campaigns, by the hour at which they are launched. */
const writes: Readonly<Record<number, (now: number) => object>> = {
  [2 * 24 + 5]: (now) => ({ content: content("Campaign 1"), schedule: { localTime: localTime(now) } }),
  [7 * 24]: () => ({
    test: {
      variants: [
        { id: "a", content: content("Campaign 2 a") },
        { id: "b", content: content("Campaign 2 b") }
      ],
      share: 40,
      after: "PT2H"
    }
  }),
  [17 * 24]: () => ({
    content: content("Campaign 3"),
    pace: { emails: 20, per: "Hour" },
    holdoutPercent: 10
  })
}

/** Makes the campaigns of an account. They draw from a seed of their own, so that the rest of the month stays as it is. */
export const makeCampaigns = (account: TestAccount, seed: string) => {
  const random = makeSeededRandom(`campaigns ${seed}`)
  const chance = () => random.nextDoubleUnsafe()
  const launched: Array<string> = []
  let segment: string | undefined
  const manage = async <Value>(method: string, path: string, json?: unknown) => {
    const answer = await account.manage<Value>(method, path, json)
    expect([path, answer.codes]).toEqual([path, []])
    return answer.value
  }
  const read = (id: string) => manage<Campaign>("GET", `/campaigns/${id}`)

  return {
    /** Performs what is done with campaigns in an hour. */
    act: async (hour: number, now: number, isActive: boolean) => {
      for (const id of launched) {
        const { status } = await read(id)
        const isPaused = status === "Paused"
        if (status === "Sending" && isActive && chance() < 0.08) {
          await manage("POST", `/campaigns/${id}/pause`)
        } else if (isPaused && (!isActive || chance() < 0.3)) await manage("POST", `/campaigns/${id}/resume`)
      }
      const write = writes[hour]
      if (write === undefined) return
      segment ??= (
        await manage<{ readonly id: string }>("POST", "/segments", {
          name: "Some",
          definition: { join: "All", rules: [{ fieldKey: "email", operator: "StartsWith", value: "p1" }] }
        })
      ).id
      const whole = { name: `Campaign ${hour}`, audience: { segments: [segment] }, ...write(now) }
      const { id } = await manage<Campaign>("POST", "/campaigns", whole)
      await manage("POST", `/campaigns/${id}/launch`)
      launched.push(id)
    },
    /** What became of each campaign: its status, and whether its counts equal its rows. */
    outcomes: () =>
      Promise.all(
        launched.map(async (id) => {
          const { stats, status } = await read(id)
          const { equal } = await manage<{ readonly equal: boolean }>("POST", `/campaigns/${id}/recount`)
          return { status, equal, stats }
        })
      )
  }
}
