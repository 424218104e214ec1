/**
 * Messages submitted through the relay, and their delivery.
 *
 * @module
 */
import { call } from "./client.ts"
import { mailOf } from "./mail.ts"
import type { Target } from "./targets.ts"
import type { TestAccount } from "./workspace.ts"

/** The id in the reply to an accepted message; throws if it was rejected. */
export const queuedId = (answer: string): string => {
  const id = /^250 2\.0\.0 Ok: queued as ([0-9a-f-]{36})$/.exec(answer)?.[1]
  if (id === undefined) throw new Error(`The reply to the message was ${answer}`)
  return id
}

/** A header field of a message, unfolded; null if there is none. */
export const fieldOf = (raw: string, name: string): string | null => {
  const [head = ""] = raw.split("\r\n\r\n")
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, " ")
  return new RegExp(`^${name}: *(.*)$`, "im").exec(unfolded)?.[1] ?? null
}

/** Reads relayed messages. */
export const relayedOf = (target: Target, account: TestAccount) => {
  const mail = mailOf(account)
  /** The role, address and name of each recipient, in order. */
  const recipients = async (id: string) =>
    (await mail.read(id)).recipients.map(({ email, kind, name }) => [kind, email, name])
  /** The raw message for a recipient. */
  const raw = async (id: string, to: string): Promise<string> => {
    await mail.settled(id, "Delivered")
    const message = (await mail.messagesOf(id)).find((one) => one.to === to)
    if (message === undefined) throw new Error(`No message was sent to ${to}`)
    const path = `/manage/v1/accounts/${account.accountId}/inbox/${message.id}/raw`
    const response = await target.fetch(path, {
      headers: { authorization: `Bearer ${target.managementToken}` }
    })
    return response.text()
  }
  return { ...mail, call, raw, recipients }
}
