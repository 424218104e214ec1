/**
 * Checks whether the counts of campaigns, which are maintained as things change, match their rows.
 *
 * @module
 */
import { oneLine } from "../output.ts"
import { type Finding, ok, warn } from "./Finding.ts"

/** How many campaigns of each live account may be recounted: those that changed last. */
export const mostOfAccount = 3
/** How many campaigns are recounted in total. Recounting reads up to a million rows of each. */
const mostRecounted = 20

/** The campaigns to recount: those that changed last, of any account. */
export const recounted = <A extends { readonly updatedAt: number | string }>(
  found: ReadonlyArray<A>
): ReadonlyArray<A> =>
  found
    .toSorted((one, other) => Number(new Date(other.updatedAt)) - Number(new Date(one.updatedAt)))
    .slice(0, mostRecounted)

/** A recounted campaign. */
export interface RecountedCampaign {
  readonly accountId: string
  readonly id: string
  readonly name: string
  readonly isCounted: boolean
}

/** The findings about campaigns; none if there are no campaigns. */
export const checkCampaigns = (campaigns: ReadonlyArray<RecountedCampaign>): ReadonlyArray<Finding> => {
  if (campaigns.length === 0) return []
  const wrong = campaigns.filter(({ isCounted }) => !isCounted)
  return wrong.length === 0
    ? [ok("campaigns", "the counts of the campaigns that changed last match their rows")]
    : wrong.map(({ accountId, id, name }) =>
        warn(
          "campaigns",
          oneLine(`the counts of ${name} differ from its rows`),
          `Run svc campaigns recount ${accountId} ${id} again; if they still differ, report what it prints`
        )
      )
}
