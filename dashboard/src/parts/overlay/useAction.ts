/**
 * Actions that a button performs at once. Their success or failure is shown as a message.
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

/** Makes a function that runs actions. Afterwards the visible results of the routes in `renews` are read again. */
export const useAction = (renews: ReadonlyArray<ReadRoute> = []) => {
  const client = useQueryClient()
  const { errors } = useTexts()
  const [isBusy, setBusy] = useState(false)
  const renew = () => Promise.all(renews.map((one) => client.invalidateQueries({ queryKey: [one] })))
  /**
   * Runs an action; `done` is the message on success. `ahead` is applied to the cached results of `renews` at once, and reverted
   * if the action fails or is undone. Returns whether the action succeeded.
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
