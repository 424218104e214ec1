/**
 * Ends the session of this browser.
 *
 * @module
 */
import { call } from "../api/call.ts"
import { ApiError } from "../api/errors.ts"
import { pathWithin } from "../lib/within.ts"

/** Signs out, and loads a new page so that nothing that was read stays in memory. Rejects if the session still exists. */
export const signOut = async (isEverywhere = false): Promise<void> => {
  await call(isEverywhere ? "DELETE /sessions" : "DELETE /session", {}, { asks: false }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
    }
  )
  location.assign(pathWithin("/sign-in"))
}
