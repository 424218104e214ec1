/**
 * Which sender an email leaves with.
 *
 * @module
 */
import type { Account, Sender } from "../../model/Account.ts"
import type { SendingDomain } from "../../model/Domain.ts"

/** The account's verified domain that an address is of; null when there is none. A subdomain is a domain of its own. */
export const domainOf = (
  accountId: string,
  email: string,
  verified: ReadonlyArray<SendingDomain>
): SendingDomain | null => {
  const name = email.slice(email.lastIndexOf("@") + 1)
  return verified.find((domain) => domain.accountId === accountId && domain.domain === name) ?? null
}

/**
 * The sender asked for, else the account's default sender, if its domain is verified; else null: then email waits with
 * sending.no_verified_sender (public-api, Transactional email rule 2).
 *
 * @param from the sender the email names; null for none
 */
export const senderOf = (
  account: Account,
  verified: ReadonlyArray<SendingDomain>,
  from: Sender | null = null
): Sender | null => {
  const sender = from ?? account.settings.defaultSender
  return sender !== null && domainOf(account.id, sender.email, verified) !== null ? sender : null
}
