/**
 * Tests emails held for review when the process is killed and started again.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { api, changeSettings } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { emailStep } from "../support/flows.ts"
import { freshDatabase } from "../support/postgres.ts"
import { useServers } from "../support/servers.ts"
import type { EmailSubmission, Page } from "../support/shapes.ts"

const { kill, start } = useServers()

const admin = "token-of-the-operator-0123456789abcdef"
const stores = {
  "the embedded store": async () => ({}),
  PostgreSQL: async () => ({ SVC_STORE: await freshDatabase() })
}

describe.each(Object.entries(stores))("emails held for review, on %s", (_store, makeStore) => {
  it("stay held when the process is killed, and are sent when they are released after it", async () => {
    const env = { ...(await makeStore()), SVC_ADMIN_TOKEN: admin }
    const first = start("node", env)
    const { baseUrl, sandbox } = await first.ready()
    const { accountId, apiKey } = sandbox!
    const manageAt =
      (base: string) =>
      <Value>(path: string, body?: unknown) =>
        api<Value>(base, admin, `/manage/v1/accounts/${accountId}${path}`, body)
    const before = manageAt(baseUrl)
    await changeSettings(baseUrl, admin, accountId, { reviewFirst: 2 })
    const { value } = await before<{ id: string }>("/flows", {
      name: "News",
      trigger: { kind: "Event", name: "user.signed_up" },
      steps: [emailStep("news", { purpose: "Marketing" })]
    })
    expect((await before(`/flows/${value.id}/publish`, {})).status).toBe(200)
    const contacts = ["ada", "bob", "eve"].map((name) => ({
      email: `${name}@example.org`,
      consent: { basis: "Customer" }
    }))
    await api(baseUrl, apiKey, "/api/v1/contacts/batch", { contacts })
    await api(baseUrl, apiKey, "/api/v1/events", {
      events: contacts.map(({ email }) => ({ id: email, name: "user.signed_up", contact: { email } }))
    })
    const held = (manage: typeof before) =>
      manage<Page<EmailSubmission>>(`/emails?status=PendingReview`).then((answer) => answer.value)
    const waiting = await eventually(
      () => held(before),
      ({ totalCount }) => totalCount === 2
    )
    expect(waiting.totalCount).toBe(2)
    // The third email is not held, so the jobs of all three have run.
    await eventually(
      () => before<Page<EmailSubmission>>("/emails?status=Delivered"),
      (answer) => answer.value.totalCount === 1
    )
    await kill(first)

    const second = start("node", env)
    const after = manageAt((await second.ready()).baseUrl)
    const inbox = async () =>
      (await after<Page<{ readonly to: string }>>("/inbox")).value.items.map(({ to }) => to)
    expect(await held(after)).toEqual(waiting)
    expect(await inbox()).toHaveLength(1)
    const [released, refused] = waiting.items
    expect((await after(`/emails/${released!.id}/release`, {})).status).toBe(200)
    expect((await after(`/emails/${refused!.id}/refuse`, {})).status).toBe(200)
    const delivered = await eventually(
      () => after<EmailSubmission>(`/emails/${released!.id}`),
      (answer) => answer.value.status === "Delivered"
    )
    expect(delivered.value.status).toBe("Delivered")
    expect((await inbox()).toSorted()).toEqual(
      contacts.map(({ email }) => email).filter((email) => email !== refused!.recipients[0]!.email)
    )
    expect((await held(after)).totalCount).toBe(0)
  })
})
