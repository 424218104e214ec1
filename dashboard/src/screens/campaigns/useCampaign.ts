/**
 * Reads a campaign with its ETag, and refreshes it when it changes.
 *
 * @module
 */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { callTagged, type Tagged } from "../../api/call.ts"
import type { ApiError } from "../../api/errors.ts"
import { keyOf } from "../../api/queries.ts"
import { useStream } from "../../api/stream.ts"
import type { StreamEvent } from "../../lib/eventStream.ts"
import type { Campaign } from "./states.ts"

const readRoute = "GET /accounts/:accountId/campaigns/:id"

/** The routes that are read again after a change to a campaign. */
export const campaignRoutesRead = [
  readRoute,
  "GET /accounts/:accountId/campaigns",
  "GET /accounts/:accountId/campaigns/:id/history",
  "GET /accounts/:accountId/campaigns/:id/versions"
] as const

/** How often a campaign is refreshed without the stream, by status, in milliseconds. */
const renewMillis: Readonly<Record<string, number>> = { Sending: 2_000, Scheduled: 15_000, Sent: 15_000 }

/** How often a campaign being sent is refreshed in addition to the stream, for its estimated end, in milliseconds. */
const estimateMillis = 15_000

const topics = ["campaigns"]
const noTopics: ReadonlyArray<string> = []

/**
 * Refreshes the cached data of campaigns when the account's stream reports a change. Returns whether the stream is open.
 *
 * @param id of the campaign on screen; null for all campaigns, undefined for none
 */
export const useCampaignChanges = (accountId: string, id: string | null | undefined): boolean => {
  const client = useQueryClient()
  const { state } = useStream(accountId, id === undefined ? noTopics : topics, (events) => {
    const isOther = ({ data, event }: StreamEvent) =>
      event === "campaigns" && id !== null && !data.includes(`"${id}"`)
    if (events.every(isOther)) return
    for (const route of campaignRoutesRead) void client.invalidateQueries({ queryKey: [route] })
  })
  return state === "open"
}

/** The cache key of a campaign with its ETag. */
export const campaignKey = (accountId: string, id: string) => [
  ...keyOf(readRoute, { params: { accountId, id } }),
  "tagged"
]

/** The campaign, refreshed as it changes. A draft is not refreshed, because its editor holds its own copy. */
export const useCampaign = (accountId: string, id: string) => {
  const [isStreamed, setStreamed] = useState(false)
  const query = useQuery<Tagged<Campaign>, ApiError>({
    queryKey: campaignKey(accountId, id),
    queryFn: ({ signal }) => callTagged(readRoute, { params: { accountId, id } }, { signal }),
    refetchInterval: ({ state }) => {
      const status = state.data?.value.status ?? ""
      if (!isStreamed) return renewMillis[status] ?? false
      return status === "Sending" ? estimateMillis : false
    }
  })
  const isFollowed = query.data !== undefined && query.data.value.status !== "Draft"
  const isOpen = useCampaignChanges(accountId, isFollowed ? id : undefined)
  if (isOpen !== isStreamed) setStreamed(isOpen)
  return query
}
