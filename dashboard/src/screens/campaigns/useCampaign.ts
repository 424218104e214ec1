/**
 * Reads a campaign with its tag, and again as it changes.
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

/** What a change of a campaign makes read again. */
export const campaignRoutesRead = [
  readRoute,
  "GET /accounts/:accountId/campaigns",
  "GET /accounts/:accountId/campaigns/:id/history",
  "GET /accounts/:accountId/campaigns/:id/versions"
] as const

/** How often a campaign is read again by its status where no stream says what changes, in milliseconds. */
const renewMillis: Readonly<Record<string, number>> = { Sending: 2_000, Scheduled: 15_000, Sent: 15_000 }

/** How often one that is sent is read again beside the stream, for when it expects to be done, in milliseconds. */
const estimateMillis = 15_000

const topics = ["campaigns"]
const noTopics: ReadonlyArray<string> = []

/**
 * Reads what is shown of campaigns again when the stream of the account says that they changed. Returns whether it says so now.
 *
 * @param id of the campaign that is shown; null for all of them, undefined for none
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

/** Where a campaign with its tag is kept. */
export const campaignKey = (accountId: string, id: string) => [
  ...keyOf(readRoute, { params: { accountId, id } }),
  "tagged"
]

/** The campaign, as it changes, unless it is a draft: an editor has its own. */
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
