/**
 * Actions that a button does at once: their success and their failure are messages.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { changeAhead } from "../../api/ahead.ts"
import { useTexts } from "../../app/reader.tsx"
import { ApiError } from "../../api/errors.ts"
import type { ReadRoute } from "../../api/call.ts"
import type { Ahead } from "../../lib/ahead.ts"
import { toast } from "./toasts.ts"

/** Runs actions. Afterwards the routes of `renews` are read again where they are shown. */
export const useAction = (renews: ReadonlyArray<ReadRoute> = []) => {
  const client = useQueryClient()
  const { errors } = useTexts()
  const [isBusy, setBusy] = useState(false)
  const renew = () => Promise.all(renews.map((one) => client.invalidateQueries({ queryKey: [one] })))
  /**
   * Runs one; `done` is the message of its success. What `ahead` changes in what is renewed is shown at once, and reverted
   * where it fails or is undone. Returns whether it succeeded.
   */
  const run = async <Item>(
    action: () => Promise<unknown>,
    done?: string,
    undo?: () => Promise<unknown>,
    ahead?: Ahead<Item>
  ): Promise<boolean> => {
    setBusy(true)
    const back = ahead === undefined ? null : changeAhead(client, renews, ahead)
    try {
      await action()
      await renew()
      if (done !== undefined)
        toast(
          done,
          undo === undefined
            ? {}
            : {
                undo: () => {
                  back?.()
                  void run(undo)
                }
              }
        )
      return true
    } catch (error) {
      if (back !== null) {
        back()
        void renew()
      }
      if (!(error instanceof ApiError)) throw error
      toast(error.status === 0 ? errors.unreachable : error.message, { tone: "bad" })
      return false
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy }
}
