/**
 * Clients of nodes whose database fails: what they were told, and whether it was kept.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { expect } from "vitest"
import { api, type Called } from "./calls.ts"

/** What clients were told while the database failed. */
export interface Told {
  readonly contacts: Array<string>
  readonly emails: Array<string>
  /** Answers that are neither a success nor a refusal in good order. */
  readonly wrong: Array<unknown>
  /** The nodes that refused something. */
  readonly refused: Set<string>
  succeeded: number
  /** The longest that an answer took, milliseconds. */
  slowest: number
}

export const nobodyTold = (): Told => ({
  contacts: [],
  emails: [],
  wrong: [],
  refused: new Set(),
  succeeded: 0,
  slowest: 0
})

const judge = (told: Told, node: string, answer: Called<unknown>): boolean => {
  if (answer.status < 300) {
    told.succeeded++
    return true
  }
  const inOrder =
    answer.status === 503 &&
    answer.codes[0] === "common.unavailable" &&
    answer.headers.get("retry-after") === "1"
  if (inOrder) told.refused.add(node)
  else told.wrong.push([node, answer.status, answer.codes])
  return false
}

let serial = 0

/** Calls a node until it is told to stop, and notes what it is told. */
const load = (baseUrl: string, apiKey: string, node: string, told: Told, stopped: () => boolean) => {
  const callers = {
    contacts: async () => {
      const email = `c${++serial}@example.org`
      if (judge(told, node, await api(baseUrl, apiKey, "/api/v1/contacts", { email })))
        told.contacts.push(email)
    },
    emails: async () => {
      const subject = `e${++serial}`
      const sent = await api<{ id: string }>(baseUrl, apiKey, "/api/v1/sending/emails", {
        to: "ada@example.org",
        subject,
        text: "t"
      })
      if (judge(told, node, sent)) told.emails.push(sent.value.id)
    },
    reads: async () => {
      judge(told, node, await api(baseUrl, apiKey, "/api/v1/contacts?pageSize=1"))
    }
  }
  return Promise.all(
    [...Object.values(callers), callers.contacts].map(async (caller) => {
      while (!stopped()) {
        const began = performance.now()
        await caller()
        told.slowest = Math.max(told.slowest, performance.now() - began)
        await delay(5)
      }
    })
  )
}

/** Runs something while clients call the nodes, by their names; answers once the last call was answered. */
export const underLoad = async <A>(
  nodes: ReadonlyArray<{ readonly name: string; readonly baseUrl: string }>,
  apiKey: string,
  told: Told,
  run: () => Promise<A>
): Promise<A> => {
  let over = false
  const loads = Promise.all(nodes.map(({ baseUrl, name }) => load(baseUrl, apiKey, name, told, () => over)))
  try {
    return await run()
  } finally {
    over = true
    await loads
  }
}

/** Whether all that was acknowledged is there, and each email arrives once. */
export const expectKept = async (
  baseUrl: string,
  admin: string,
  accountId: string,
  apiKey: string,
  acknowledged: ReadonlyArray<Told>
): Promise<void> => {
  const contacts = acknowledged.flatMap((told) => told.contacts)
  const emails = acknowledged.flatMap((told) => told.emails)
  for (const email of contacts) {
    expect([email, (await api(baseUrl, apiKey, `/api/v1/contacts/email:${email}`)).status]).toEqual([
      email,
      200
    ])
  }
  const undelivered = async () => {
    const states = await Promise.all(
      emails.map((id) => api<{ status: string }>(baseUrl, apiKey, `/api/v1/sending/emails/${id}`))
    )
    return states.filter(({ value }) => value?.status !== "Delivered").length
  }
  await expect.poll(undelivered, { timeout: 45_000, interval: 250 }).toBe(0)
  const arrived = new Map<string, number>()
  for (let page = 1; ; page++) {
    const path = `/manage/v1/accounts/${accountId}/inbox?pageSize=200&page=${page}`
    const { value } = await api<{ items: ReadonlyArray<{ submissionId: string }> }>(baseUrl, admin, path)
    for (const { submissionId } of value.items)
      arrived.set(submissionId, (arrived.get(submissionId) ?? 0) + 1)
    if (value.items.length < 200) break
  }
  expect(emails.filter((id) => arrived.get(id) !== 1)).toEqual([])
}
