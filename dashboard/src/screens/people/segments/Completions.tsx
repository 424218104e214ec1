/**
 * Suggests existing values of a field with the browser's own list (`datalist`).
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { call } from "../../../api/call.ts"
import { type ItemOf, keyOf, useExtra } from "../../../api/queries.ts"
import { useAccount } from "../../../app/session.ts"
import { useDebounced } from "../../editors/useDebounced.ts"

const route = "GET /accounts/:accountId/segments/values"

/** How long after the last keystroke values are searched, in milliseconds. */
const restMillis = 200

const none: ReadonlyArray<string> = []

/** The values of a field that contain what was typed; none for a field without a key, or if the user may not read contacts. */
export const useCompletions = (field: string, typed: string): ReadonlyArray<string> => {
  const { can, id: accountId } = useAccount()
  const q = useDebounced(typed.trim(), restMillis)
  const input = { params: { accountId }, query: q === "" ? { field } : { field, q } }
  const { data } = useQuery({
    queryKey: keyOf(route, input),
    queryFn: ({ signal }) => call(route, input, { signal }),
    enabled: field !== "" && can("contacts:read"),
    // If there are no suggestions, the user types the whole value.
    retry: false,
    placeholderData: (before) => before
  })
  return data ?? none
}

const campaignsRoute = "GET /accounts/:accountId/campaigns"
const noCampaigns: ReadonlyArray<ItemOf<typeof campaignsRoute>> = []

/** The newest campaigns whose name contains what was typed; none if the user may not read campaigns. */
export const useCampaigns = (typed = ""): ReadonlyArray<ItemOf<typeof campaignsRoute>> => {
  const { can, id: accountId } = useAccount()
  const q = useDebounced(typed.trim(), restMillis)
  const query = q === "" ? { limit: 200 } : { limit: 50, q }
  const found = useExtra(campaignsRoute, { params: { accountId }, query }, { enabled: can("campaigns:read") })
  return found?.items ?? noCampaigns
}

/** The `datalist` for an input. */
export const Completions = ({
  id,
  values
}: {
  readonly id: string
  readonly values: ReadonlyArray<string>
}) => (
  <datalist id={id}>
    {values.map((value) => (
      <option key={value} value={value}>
        {value}
      </option>
    ))}
  </datalist>
)
