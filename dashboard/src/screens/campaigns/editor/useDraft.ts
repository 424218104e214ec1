/**
 * Keeps the draft of a campaign, and saves it while it is written: what was changed alone, and never over a change that another
 * person made meanwhile.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import { callTagged, type InputOf } from "../../../api/call.ts"
import { ApiError } from "../../../api/errors.ts"
import { type CampaignDraft, bodyOf, changesOf, draftOf } from "../../../lib/campaigns/draft.ts"
import type { Campaign } from "../states.ts"
import { campaignKey } from "../useCampaign.ts"

const patchRoute = "PATCH /accounts/:accountId/campaigns/:id"

type Body = InputOf<typeof patchRoute>["body"]

/** How long after the last key the draft is saved, in milliseconds. */
const restMillis = 700

/** The most changes that can be undone. */
const maxUndone = 50

/** Whether what is shown is saved. */
export type SaveState = "saved" | "waiting" | "saving" | "failed"

/** A draft that saves itself. */
export interface SavedDraft {
  readonly draft: CampaignDraft
  readonly set: (change: Partial<CampaignDraft>) => void
  readonly state: SaveState
  readonly error: ApiError | null
  /** The tag of what was saved last. */
  readonly etag: string | null
  /** Null where there is nothing to undo. */
  readonly undo: (() => void) | null
  /** Saves over what another person changed meanwhile. */
  readonly overwrite: () => void
}

/** The draft of a campaign as it was read. */
export const useDraft = (
  accountId: string,
  campaign: Campaign,
  readTag: string | null,
  zone: string
): SavedDraft => {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(campaign, zone))
  const [past, setPast] = useState<ReadonlyArray<CampaignDraft>>([])
  const [state, setState] = useState<SaveState>("saved")
  const [error, setError] = useState<ApiError | null>(null)
  const [etag, setEtag] = useState(readTag)
  const saved = useRef({ body: bodyOf(draft, zone), isBusy: false })

  const save = useEffectEvent(async (written: CampaignDraft, tag: string | null): Promise<void> => {
    if (saved.current.isBusy) return
    const body = bodyOf(written, zone)
    const changes = changesOf(saved.current.body, body)
    if (Object.keys(changes).length === 0) {
      setError(null)
      setState("saved")
      return
    }
    saved.current.isBusy = true
    setState("saving")
    try {
      const input = { params: { accountId, id: campaign.id }, body: changes as NonNullable<Body> }
      const answer = await callTagged(patchRoute, input, { ifMatch: tag ?? undefined })
      saved.current.body = body
      client.setQueryData(campaignKey(accountId, campaign.id), answer)
      void client.invalidateQueries({ queryKey: ["GET /accounts/:accountId/campaigns"] })
      setEtag(answer.etag)
      setError(null)
      setState((now) => (now === "saving" ? "saved" : now))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failure)
      setState((now) => (now === "saving" ? "failed" : now))
    } finally {
      saved.current.isBusy = false
      // What was written meanwhile is saved next.
      setDraft((now) => ({ ...now }))
    }
  })

  useEffect(() => {
    if (state !== "waiting") return undefined
    const timer = setTimeout(() => void save(draft, etag), restMillis)
    return () => clearTimeout(timer)
  }, [draft, etag, state])

  // A page that is left would lose what is not saved.
  useEffect(() => {
    if (state === "saved") return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", ask)
    return () => removeEventListener("beforeunload", ask)
  }, [state])

  return {
    draft,
    state,
    error,
    etag,
    set: (change) => {
      setPast([...past.slice(1 - maxUndone), draft])
      setDraft({ ...draft, ...change })
      setState("waiting")
    },
    undo:
      past.length === 0
        ? null
        : () => {
            setDraft(past.at(-1) ?? draft)
            setPast(past.slice(0, -1))
            setState("waiting")
          },
    overwrite: () => {
      const now = error?.details["etag"]
      setEtag(typeof now === "string" ? now : null)
      setError(null)
      setState("waiting")
    }
  }
}
