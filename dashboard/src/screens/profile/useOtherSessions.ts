/**
 * The user's other sessions, which end with a change of how one signs in.
 *
 * @module
 */
import { useExtra } from "../../api/queries.ts"

/** How many there are; undefined until they have been read, which they are where they are asked for. */
export const useOtherSessions = (isAsked: boolean): number | undefined => {
  const sessions = useExtra("GET /me/sessions", { query: { limit: 1 } }, { enabled: isAsked })
  return sessions === undefined ? undefined : sessions.totalCount - 1
}
