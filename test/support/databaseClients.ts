/**
 * Clients of nodes whose database fails: they collect the responses and check that acknowledged writes were kept.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { expect } from "vitest"
import { api, type Called } from "./calls.ts"

/** The responses that clients received while the database failed. */
export interface Responses {
  readonly contacts: Array<string>
  readonly emails: Array<string>
  /** Responses that are neither a success nor a well-formed 503. */
  readonly wrong: Array<unknown>
  /** The nodes that rejected a request. */
  readonly rejected: Set<string>
  succeeded: number
  /** The longest response time, in milliseconds. */
  slowest: number
}

export const noResponses = (): Responses => ({
  contacts: [],
  emails: [],
  wrong: [],
  rejected: new Set(),
  succeeded: 0,
  slowest: 0
})

const record = (responses: Responses, node: string, answer: Called<unknown>): boolean => {
  if (answer.status < 300) {
    responses.succeeded++
    return true
  }
  const inOrder =
    answer.status === 503 &&
    answer.codes[0] === "common.unavailable" &&
    answer.headers.get("retry-after") === "1"
  if (inOrder) responses.rejected.add(node)
  else responses.wrong.push([node, answer.status, answer.codes])
  return false
}

let serial = 0

/** Calls a node until `stopped`, and records its responses. */
const load = (
  baseUrl: string,
  apiKey: string,
  node: string,
  responses: Responses,
  stopped: () => boolean
) => {
  const callers = {
    contacts: async () => {
      const email = `c${++serial}@example.org`
      if (record(responses, node, await api(baseUrl, apiKey, "/api/v1/contacts", { email })))
        responses.contacts.push(email)
    },
    emails: async () => {
      const subject = `e${++serial}`
      const sent = await api<{ id: string }>(baseUrl, apiKey, "/api/v1/sending/emails", {
        to: "ada@example.org",
        subject,
        text: "t"
      })
      if (record(responses, node, sent)) responses.emails.push(sent.value.id)
    },
    reads: async () => {
      record(responses, node, await api(baseUrl, apiKey, "/api/v1/contacts?pageSize=1"))
    }
  }
  return Promise.all(
    [...Object.values(callers), callers.contacts].map(async (caller) => {
      while (!stopped()) {
        const began = performance.now()
        await caller()
        responses.slowest = Math.max(responses.slowest, performance.now() - began)
        await delay(5)
      }
    })
  )
}

/** Runs an action while clients call the nodes. Returns its result once the last call has received its response. */
export const underLoad = async <A>(
  nodes: ReadonlyArray<{ readonly name: string; readonly baseUrl: string }>,
  apiKey: string,
  responses: Responses,
  run: () => Promise<A>
): Promise<A> => {
  let isOver = false
  const loads = Promise.all(
    nodes.map(({ baseUrl, name }) => load(baseUrl, apiKey, name, responses, () => isOver))
  )
  try {
    return await run()
  } finally {
    isOver = true
    await loads
  }
}

/** Expects that everything acknowledged is stored, and that each email arrives once. */
export const expectKept = async (
  baseUrl: string,
  admin: string,
  accountId: string,
  apiKey: string,
  acknowledged: ReadonlyArray<Responses>
): Promise<void> => {
  const contacts = acknowledged.flatMap((responses) => responses.contacts)
  const emails = acknowledged.flatMap((responses) => responses.emails)
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
