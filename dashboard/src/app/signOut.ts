/**
 * Ends the session of this browser.
 *
 * @module
 */
import { call } from "../api/call.ts"
import { ApiError } from "../api/errors.ts"
import { pathWithin } from "../lib/within.ts"

/** Signs out, and loads the page again, so that nothing that was read stays in memory. Rejects where the session lives on. */
export const signOut = async (isEverywhere = false): Promise<void> => {
  await call(isEverywhere ? "DELETE /sessions" : "DELETE /session", {}, { asks: false }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
    }
  )
  location.assign(pathWithin("/sign-in"))
}
