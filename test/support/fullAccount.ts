/**
 * An account with one of everything. All its data contain the account's own mark, so that a leak into another account's response
 * can be found.
 *
 * @module
 */
import { call, eventually } from "./client.ts"
import type { ContactWritten, EmailAccepted, EmailSubmission, Page } from "./shapes.ts"
import { connectStore, storeEvent, type TestStore } from "./stores.ts"
import type { Target } from "./targets.ts"
import type { TestAccount } from "./workspace.ts"
import { png } from "./images.ts"

/** Such an account, with the ids of its data. */
export interface FullAccount {
  readonly account: TestAccount
  /** The string in every name and address of the account. */
  readonly mark: string
  readonly apiKey: string
  readonly contact: string
  readonly secondContact: string
  readonly domain: string
  readonly email: string
  readonly flow: string
  readonly flowToken: string
  readonly image: string
  readonly import: string
  readonly inboxMessage: string
  readonly item: string
  /** The item's id in the service. */
  readonly itemId: string
  readonly job: string
  readonly segment: string
  readonly campaign: string
  readonly store: TestStore
  readonly template: string
  readonly topic: string
  readonly view: string
  readonly webhook: string
  readonly notification: string
}

interface WithId {
  readonly id: string
}

/** Every contact of the account. */
export const everyone = { join: "All", rules: [] } as const

/** Imports a file of one row. */
export const importRow = (target: Target, account: TestAccount, email: string) =>
  call<WithId & { readonly status: string }>(
    target,
    "POST",
    `/manage/v1/accounts/${account.accountId}/imports?name=${email}`,
    {
      token: target.managementToken,
      body: `email\n${email}\ninvalid ${email}\n`,
      headers: { "content-type": "text/csv" }
    }
  )

/** A flow that only waits. */
export const flowWrite = (name: string) => ({
  name,
  trigger: { kind: "Api" },
  steps: [{ id: "wait", kind: "Wait", duration: "P1D" }]
})

/** Makes the token of a flow's trigger. */
export const triggerTokenOf = async (account: TestAccount, flowId: string): Promise<string> =>
  (await account.manage<{ readonly token: string }>("POST", `/flows/${flowId}/trigger-token`)).value.token

/** Fills a sandbox account with one of everything. */
export const fillAccount = async (
  target: Target,
  account: TestAccount,
  mark: string
): Promise<FullAccount> => {
  const made = async (path: string, json: unknown): Promise<string> =>
    (await account.manage<WithId>("POST", path, json)).value.id
  const email = `${mark}@people.example`
  const contact = await account.api<ContactWritten>("POST", "/contacts", {
    email,
    externalId: mark,
    firstName: mark,
    consent: { basis: "Subscribed", proof: { text: mark } }
  })
  const second = await account.api<ContactWritten>("POST", "/contacts", { email: `second-${email}` })
  await account.api("POST", "/contact-attributes", { key: mark, label: mark, type: "Text" })
  const item = await account.api<WithId>("POST", "/items", { id: mark, name: mark })
  const store = await connectStore(target, account, { name: mark, domain: `${mark}.example` })
  await store.report(
    storeEvent("order.placed", {
      id: mark,
      number: mark,
      status: "Paid",
      currency: "EUR",
      total: 1,
      placedAt: new Date(target.now() - 60_000).toISOString(),
      customer: { email: `buyer-${email}`, firstName: mark, lastName: mark },
      lines: []
    })
  )
  const domain = await made("/domains", { domain: `${mark}-mail.example` })
  const sent = await account.api<EmailAccepted>("POST", "/sending/emails", {
    to: email,
    subject: mark,
    text: mark,
    attachments: [{ filename: "a.txt", contentType: "text/plain", content: btoa(mark) }],
    metadata: { mark }
  })
  await account.manage("POST", "/suppressions", { email: `suppressed-${email}`, kind: "Complained" })
  const image = await call<WithId>(
    target,
    "POST",
    `/manage/v1/accounts/${account.accountId}/images?name=${mark}`,
    { token: target.managementToken, body: png(1, 1), headers: { "content-type": "image/png" } }
  )
  const imported = (await importRow(target, account, `imported-${email}`)).value.id
  await eventually(
    () => account.manage<{ readonly status: string }>("GET", `/imports/${imported}`),
    (answer) => answer.value.status === "Completed"
  )
  await eventually(
    () => account.api<EmailSubmission>("GET", `/sending/emails/${sent.value.id}`),
    (answer) => answer.value.status === "Delivered"
  )
  const job = await made("/contacts/bulk", {
    ids: [contact.value.contact.id],
    action: { kind: "Export", format: "Csv" }
  })
  await eventually(
    () => account.manage<{ readonly state: string }>("GET", `/jobs/${job}`),
    (answer) => answer.value.state === "Done"
  )
  const flow = await made("/flows", flowWrite(mark))
  const inbox = await account.manage<Page<WithId>>("GET", "/inbox")
  const hook = { url: `http://127.0.0.1:9/${mark}`, events: [], description: mark }
  const webhook = await made("/webhooks", hook)
  const tested = await account.manage<{ readonly notificationId: string }>(
    "POST",
    `/webhooks/${webhook}/test`
  )
  return {
    account,
    mark,
    apiKey: (await account.issueKey(["contacts:read"])).id,
    contact: contact.value.contact.id,
    secondContact: second.value.contact.id,
    domain,
    email: sent.value.id,
    flow,
    flowToken: await triggerTokenOf(account, flow),
    image: image.value.id,
    import: imported,
    inboxMessage: inbox.value.items[0]!.id,
    item: mark,
    itemId: item.value.id,
    job,
    campaign: await made("/campaigns", { name: mark, content: { subject: mark, text: mark } }),
    segment: await made("/segments", { name: mark, definition: everyone }),
    store,
    template: await made("/templates", { name: mark, subject: mark, text: mark }),
    view: await made("/views", { name: mark, list: "contacts" }),
    topic: await made("/topics", { key: mark, name: mark }),
    webhook,
    notification: tested.value.notificationId
  }
}
