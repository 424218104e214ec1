/**
 * Chooses the sender of an email.
 *
 * @module
 */
import { domainOfAddress } from "../../shared/EmailAddress.ts"
import type { Account, Sender } from "../../model/Account.ts"
import type { SendingDomain } from "../../model/Domain.ts"
import { Problem } from "../../shared/Problem.ts"

/** The account's verified domain of an address; null if there is none. A subdomain is a separate domain. */
export const verifiedDomainOf = (
  accountId: string,
  email: string,
  verified: ReadonlyArray<SendingDomain>
): SendingDomain | null => {
  const name = domainOfAddress(email)
  return verified.find((domain) => domain.accountId === accountId && domain.domain === name) ?? null
}

/**
 * Returns the given sender, or else the account's default sender, if its domain is verified. Otherwise null, and the email
 * waits with sending.no_verified_sender (docs/contributing/public-api.md "Transactional email").
 *
 * @param from the sender of the email; null if it specifies none
 */
export const senderOf = (
  account: Account,
  verified: ReadonlyArray<SendingDomain>,
  from: Sender | null = null
): Sender | null => {
  const sender = from ?? account.settings.defaultSender
  return sender !== null && verifiedDomainOf(account.id, sender.email, verified) !== null ? sender : null
}

/** The problem of an email whose sender is not on a verified domain: deliverability.sender_domain_not_verified. */
export const unverifiedSender = (
  accountId: string,
  account: Account | null,
  from: Sender | null = null
): Problem => {
  const sender = from ?? account?.settings.defaultSender ?? null
  return Problem.of(
    "deliverability.sender_domain_not_verified",
    "from",
    null,
    sender === null
      ? { fix: "from must be given: the account has no default sender." }
      : { domain: domainOfAddress(sender.email), account: accountId }
  )
}
