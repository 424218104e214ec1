/**
 * Which sender an email leaves with.
 *
 * @module
 */
import type { Account, Sender } from "../accounts/Account.ts"
import type { SendingDomain } from "./Domain.ts"

/**
 * The account's default sender if its domain is verified, else null: then email waits with
 * sending.no_verified_sender (public-api, Transactional email rule 2).
 */
export const senderOf = (account: Account, verified: ReadonlyArray<SendingDomain>): Sender | null => {
  const sender = account.settings.defaultSender
  if (sender === null) return null
  const name = sender.email.slice(sender.email.lastIndexOf("@") + 1)
  return verified.some((domain) => domain.accountId === account.id && domain.domain === name) ? sender : null
}
