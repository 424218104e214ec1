/**
 * Whether the counts of campaigns, which are kept as things change, are those of their rows.
 *
 * @module
 */
import { oneLine } from "../output.ts"
import { type Finding, ok, warn } from "./Finding.ts"

/** How many campaigns of each live account may be counted again, those that changed last. */
export const mostOfAccount = 3
/** How many are in total: each reads its rows, up to a million. */
const mostRecounted = 20

/** Those of the campaigns that are counted again: the ones that changed last, whosever they are. */
export const recounted = <A extends { readonly updatedAt: number | string }>(
  found: ReadonlyArray<A>
): ReadonlyArray<A> =>
  found
    .toSorted((one, other) => Number(new Date(other.updatedAt)) - Number(new Date(one.updatedAt)))
    .slice(0, mostRecounted)

/** A campaign that was counted again. */
export interface RecountedCampaign {
  readonly accountId: string
  readonly id: string
  readonly name: string
  readonly isCounted: boolean
}

/** What is found of campaigns; nothing without any. */
export const checkCampaigns = (campaigns: ReadonlyArray<RecountedCampaign>): ReadonlyArray<Finding> => {
  if (campaigns.length === 0) return []
  const wrong = campaigns.filter(({ isCounted }) => !isCounted)
  return wrong.length === 0
    ? [ok("campaigns", "the counts of those that changed last equal their rows")]
    : wrong.map(({ accountId, id, name }) =>
        warn(
          "campaigns",
          oneLine(`the counts of ${name} differ from its rows`),
          `Run svc campaigns recount ${accountId} ${id} again; if they still differ, report what it prints`
        )
      )
}
