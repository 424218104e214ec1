/**
 * Names lanes and what holds them, for operators.
 *
 * @module
 */
import { type ItemOf, useExtra } from "../../../api/queries.ts"
import { namedLane } from "../../../lib/lanes.ts"
import { useDeliveryTexts } from "../../../texts/delivery/useDeliveryTexts.ts"

/** The route of the notices, which say what holds mail. */
export const noticesRoute = "GET /shaping/notices"

/** The route of the lanes. */
export const lanesRoute = "GET /shaping/lanes"

/** The route of the providers. */
export const providersRoute = "GET /shaping/providers"

/** A notice: what holds mail. */
export type Notice = ItemOf<typeof noticesRoute>

/** The parameters that identify a notice's lane in a call, and the account whose mail it holds. */
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

/** Names providers, and lanes by their provider if they have one, for operators. */
export const useProviderName = (): ((lane: string) => string) => {
  const laneName = useLaneName()
  const providers = useExtra(providersRoute, { query: { limit: 200 } })?.items ?? []
  return (lane) => providers.find(({ key }) => key === lane)?.name ?? laneName(lane)
}
