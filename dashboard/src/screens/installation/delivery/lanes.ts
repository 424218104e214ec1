/**
 * What operators see of a lane that is held.
 *
 * @module
 */
import { type ItemOf, useExtra } from "../../../api/queries.ts"
import { namedLane } from "../../../lib/lanes.ts"
import { useDeliveryTexts } from "../../../texts/delivery/useDeliveryTexts.ts"

/** The list of what holds mail. */
export const noticesRoute = "GET /shaping/notices"

/** The list of lanes. */
export const lanesRoute = "GET /shaping/lanes"

/** The list of providers. */
export const providersRoute = "GET /shaping/providers"

/** What holds mail. */
export type Notice = ItemOf<typeof noticesRoute>

/** What a call names to reach the lane of a notice, and the account whose mail it holds. */
export const namedOf = ({ accountId, lane }: Notice) => ({
  ...namedLane(lane),
  ...(accountId === null ? {} : { accountId })
})

/** Names a lane. */
export const useLaneName = (): ((lane: string) => string) => {
  const { held: texts } = useDeliveryTexts()
  return (lane) => {
    const named = namedLane(lane)
    return "domain" in named ? texts.domainOf(named.domain) : lane
  }
}

/** Names the providers, and lanes by their provider where they have one, for operators. */
export const useProviderName = (): ((lane: string) => string) => {
  const laneName = useLaneName()
  const providers = useExtra(providersRoute, { query: { limit: 200 } })?.items ?? []
  return (lane) => providers.find(({ key }) => key === lane)?.name ?? laneName(lane)
}
