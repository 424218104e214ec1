/**
 * Searches an account for what the user types, and determines the screen that shows each result.
 *
 * @module
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { NavigateOptions } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { call, type ValueOf } from "../api/call.ts"

/** How long after the last keystroke the search starts, in milliseconds. */
const restMillis = 150

/** The fewest characters that start a search. */
const fewest = 2

/** A search result. */
export type Found = ValueOf<"GET /accounts/:accountId/search">["items"][number]

const none: ReadonlyArray<Found> = []

/** The results for a text that the user may still be typing. A new search aborts the previous one. */
export const useFound = (
  accountId: string | null,
  typed: string
): { readonly found: ReadonlyArray<Found>; readonly isSearching: boolean } => {
  const wanted = typed.trim()
  const [q, setQ] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setQ(wanted), restMillis)
    return () => clearTimeout(timer)
  }, [wanted])
  const isAsked = accountId !== null && wanted.length >= fewest
  const { data, isFetching } = useQuery({
    queryKey: ["GET /accounts/:accountId/search", accountId, q],
    queryFn: ({ signal }) =>
      call(
        "GET /accounts/:accountId/search",
        { params: { accountId: accountId ?? "" }, query: { q } },
        { signal, asks: false }
      ),
    enabled: isAsked && q.length >= fewest,
    placeholderData: keepPreviousData
  })
  return {
    found: isAsked ? (data?.items ?? none) : none,
    isSearching: isAsked && (isFetching || q !== wanted)
  }
}

/** The link to the screen that shows a result; null if no screen does. */
export const linkOfFound = (
  accountId: string,
  {
    id,
    kind,
    title = ""
  }: {
    readonly id: string
    /** Imports and jobs are not among the results of a search, but have screens too. */
    readonly kind: Found["kind"] | "Import" | "Job"
    readonly title?: string
  }
): NavigateOptions | null => {
  const at = { accountId }
  switch (kind) {
    case "Contact":
      return { to: "/a/$accountId/people/contacts/$contactId", params: { ...at, contactId: id } }
    case "Email":
      return { to: "/a/$accountId/emails/$emailId", params: { ...at, emailId: id } }
    case "Campaign":
      return { to: "/a/$accountId/campaigns/$campaignId", params: { ...at, campaignId: id } }
    case "Flow":
      return { to: "/a/$accountId/flows/$flowId", params: { ...at, flowId: id } }
    case "Template":
      return { to: "/a/$accountId/templates/$templateId", params: { ...at, templateId: id } }
    case "Domain":
      return { to: "/a/$accountId/domains/$domainId", params: { ...at, domainId: id } }
    case "Webhook":
      return { to: "/a/$accountId/developers/webhooks/$webhookId", params: { ...at, webhookId: id } }
    case "Segment":
      return { to: "/a/$accountId/people/segments/$segmentId", params: { ...at, segmentId: id } }
    case "Import":
      return { to: "/a/$accountId/people/imports/$importId", params: { ...at, importId: id } }
    case "Job":
      return { to: "/a/$accountId/people/jobs", params: at }
    case "ApiKey":
      return { to: "/a/$accountId/developers", params: at, search: { shown: id } }
    case "Event":
      return { to: "/a/$accountId/developers/events", params: at, search: { q: id } }
    case "Order":
      return { to: "/a/$accountId/stores/orders/$orderId", params: { ...at, orderId: id } }
    case "Item":
      return { to: "/a/$accountId/stores/items", params: at, search: { q: title } }
    default:
      return null
  }
}
