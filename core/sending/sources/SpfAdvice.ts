/**
 * Builds the SPF record that lists all sources, and that domains include.
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

/** The SPF record of an installation's sources; null if there are none. */
export const spfRecordOf = (
  sources: ReadonlyArray<Pick<MailSource, "address" | "mode">>,
  mailHost: string
): SpfAdvice | null => {
  const listed = sources.filter(({ mode }) => mode !== "Retired")
  if (listed.length === 0) return null
  const mechanisms = listed.map(({ address }) => `ip${familyOf(address)}:${address}`)
  return { name: spfNameOf(mailHost), value: `v=spf1 a:${mailHost} ${mechanisms.join(" ")} ~all` }
}
