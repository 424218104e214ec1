/**
 * Sends email and follows its delivery.
 *
 * @module
 */
import { eventually } from "./client.ts"
import type { EmailAccepted, EmailSubmission, Page } from "./shapes.ts"
import type { TestAccount } from "./workspace.ts"

/** A message of the sandbox inbox. */
export interface InboxMessage {
  readonly id: string
  readonly submissionId: string
  readonly to: string
  readonly subject: string
  readonly [field: string]: unknown
}

/** The content of emails in tests that are not about content. */
export const content = { subject: "Hello", text: "It works." }

/** Operations on an account's emails. */
export const mailOf = (account: TestAccount) => {
  const post = (json: unknown) => account.api<EmailAccepted>("POST", "/sending/emails", json)
  const send = async (to: unknown, more: object = {}) => (await post({ to, ...content, ...more })).value
  const read = async (id: string) =>
    (await account.api<EmailSubmission>("GET", `/sending/emails/${id}`)).value
  const settled = (id: string, status: string) =>
    eventually(
      () => read(id),
      (email) => email.status === status
    )
  const inbox = async () =>
    (await account.manage<Page<InboxMessage>>("GET", "/inbox?pageSize=200")).value.items
  const messagesOf = async (id: string) => (await inbox()).filter((message) => message.submissionId === id)
  return { post, send, read, settled, inbox, messagesOf }
}
