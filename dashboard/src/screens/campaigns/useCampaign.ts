/**
 * Reads a campaign with its tag, and again while it is sent.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { callTagged, type Tagged } from "../../api/call.ts"
import type { ApiError } from "../../api/errors.ts"
import { keyOf } from "../../api/queries.ts"
import type { Campaign } from "./states.ts"

const readRoute = "GET /accounts/:accountId/campaigns/:id"

/** What a change of a campaign makes read again. */
export const campaignRoutesRead = [
  readRoute,
  "GET /accounts/:accountId/campaigns",
  "GET /accounts/:accountId/campaigns/:id/history",
  "GET /accounts/:accountId/campaigns/:id/versions"
] as const

/** How often a campaign is read again by its status, in milliseconds; others change by people alone. */
const renewMillis: Readonly<Record<string, number>> = { Sending: 2_000, Scheduled: 15_000, Sent: 15_000 }

/** Where a campaign with its tag is kept. */
export const campaignKey = (accountId: string, id: string) => [
  ...keyOf(readRoute, { params: { accountId, id } }),
  "tagged"
]

/** The campaign. */
export const useCampaign = (accountId: string, id: string) =>
  useQuery<Tagged<Campaign>, ApiError>({
    queryKey: campaignKey(accountId, id),
    queryFn: ({ signal }) => callTagged(readRoute, { params: { accountId, id } }, { signal }),
    refetchInterval: ({ state }) => renewMillis[state.data?.value.status ?? ""] ?? false
  })
