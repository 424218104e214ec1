/**
 * The user's other sessions, which a change of the sign-in methods ends.
 *
 * @module
 */
import { useExtra } from "../../api/queries.ts"

/** The number of other sessions, read only if `isAsked`; undefined until then. */
export const useOtherSessions = (isAsked: boolean): number | undefined => {
  const sessions = useExtra("GET /me/sessions", { query: { limit: 1 } }, { enabled: isAsked })
  return sessions === undefined ? undefined : sessions.totalCount - 1
}
