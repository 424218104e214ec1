/**
 * The SPF record that lists all sources, which domains include.
 *
 * @module
 */
import { spfNameOf } from "../domains/DomainRecords.ts"
import { familyOf, type MailSource } from "../../model/Source.ts"

/** A record to publish. */
export interface SpfAdvice {
  readonly name: string
  readonly value: string
}

/** The record of an installation's sources; null without any. */
export const spfRecordOf = (
  sources: ReadonlyArray<Pick<MailSource, "address" | "mode">>,
  mailHost: string
): SpfAdvice | null => {
  const listed = sources.filter(({ mode }) => mode !== "Retired")
  if (listed.length === 0) return null
  const mechanisms = listed.map(({ address }) => `ip${familyOf(address)}:${address}`)
  return { name: spfNameOf(mailHost), value: `v=spf1 a:${mailHost} ${mechanisms.join(" ")} ~all` }
}
