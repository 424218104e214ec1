/**
 * A live account that can send. The test's own DNS server has the records that verify its domain.
 *
 * @module
 */
import { api, liftRateLimit } from "./calls.ts"
import type { DnsServer, Records } from "./dnsServer.ts"

/** A domain as the management API returns it. */
export interface Domain {
  readonly id: string
  readonly status: string
  readonly records: ReadonlyArray<{ readonly type: string; readonly name: string; readonly value: string }>
}

/** A live account with a key that can send and read email. */
export interface LiveAccount {
  readonly accountId: string
  readonly apiKey: string
}

/** Publishes the records that a domain needs. */
export const publish = (dns: DnsServer, domain: Domain): void => {
  const names = Map.groupBy(domain.records, (record) => record.name)
  for (const [name, records] of names) {
    const values = (type: string) =>
      records.filter((record) => record.type === type).map(({ value }) => value)
    const found: Records = {
      TXT: values("TXT"),
      MX: values("MX").map((value) => {
        const [preference, exchange] = value.includes(" ") ? value.split(" ") : ["10", value]
        return [Number(preference), exchange!] as const
      }),
      ...(values("CNAME")[0] === undefined ? {} : { CNAME: values("CNAME")[0]! })
    }
    dns.set(name, found)
  }
}

/** Sets a company's live account up to send from `hello@{domain}`. */
export const openLive = async (
  baseUrl: string,
  managementToken: string,
  dns: DnsServer,
  domain: string
): Promise<LiveAccount> => {
  const manage = <Value>(path: string, sent?: unknown) =>
    api<Value>(baseUrl, managementToken, `/manage/v1${path}`, sent)
  const company = await manage<{ live: { accountId: string } }>("/companies", { name: domain })
  const { accountId } = company.value.live
  await liftRateLimit(baseUrl, managementToken, accountId)
  const added = await manage<Domain>(`/accounts/${accountId}/domains`, { domain })
  publish(dns, added.value)
  const verified = await manage<Domain>(`/accounts/${accountId}/domains/${added.value.id}/verify`, {})
  if (verified.value?.status !== "Verified") {
    throw new Error(`${domain} is not verified: ${JSON.stringify(verified)}`)
  }
  await fetch(`${baseUrl}/manage/v1/accounts/${accountId}/settings`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${managementToken}`, "content-type": "application/json" },
    body: JSON.stringify({ defaultSender: { email: `hello@${domain}`, name: "Hello" } })
  })
  const key = await manage<{ key: string }>(`/accounts/${accountId}/api-keys`, {
    name: "Live",
    permissions: ["emails:send", "emails:read"],
    expiresInDays: null
  })
  return { accountId, apiKey: key.value.key }
}
