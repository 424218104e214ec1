/**
 * Holds the draft of a campaign and saves it automatically. Only the changed fields are sent, and a change that another person
 * made in the meantime is never overwritten without asking.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import { callTagged, type InputOf } from "../../../api/call.ts"
import { ApiError } from "../../../api/errors.ts"
import {
  bodyOf,
  type CampaignBody,
  type CampaignDraft,
  changesOf,
  draftOf
} from "../../../lib/campaigns/draft.ts"
import type { Campaign } from "../states.ts"
import { campaignKey } from "../useCampaign.ts"

const patchRoute = "PATCH /accounts/:accountId/campaigns/:id"

type Patch = NonNullable<InputOf<typeof patchRoute>["body"]>

/** How long after the last keystroke the draft is saved, in milliseconds. */
const restMillis = 700

/** The most changes that can be undone. */
const maxUndone = 50

/** Whether the draft on screen is saved. */
export type SaveState = "saved" | "waiting" | "saving" | "failed"

/** What was last saved, with its ETag. */
interface Saved {
  readonly body: CampaignBody
  readonly etag: string | null
}

/** A draft that saves itself. */
export interface SavedDraft {
  readonly draft: CampaignDraft
  readonly set: (change: Partial<CampaignDraft>) => void
  readonly state: SaveState
  readonly error: ApiError | null
  /** The ETag of the last save. */
  readonly etag: string | null
  /** Null if there is nothing to undo. */
  readonly undo: (() => void) | null
  /** Saves even though another person has changed the campaign in the meantime. */
  readonly overwrite: () => void
}

/** Whether what was read differs from what was saved at most in the name, which is edited elsewhere on the screen. */
const isRenamed = (read: CampaignBody, { body }: Saved): boolean =>
  Object.keys(changesOf(body, read)).every((key) => key === "name")

/** The draft, initially the campaign that was read. */
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
  const [saved, setSaved] = useState<Saved>(() => ({ body: bodyOf(draft, zone), etag: readTag }))
  const [seenTag, setSeenTag] = useState(readTag)
  const isBusy = useRef(false)

  if (readTag !== seenTag) {
    setSeenTag(readTag)
    const read = bodyOf(draftOf(campaign, zone), zone)
    if (isRenamed(read, saved)) {
      setSaved({ body: { ...saved.body, name: read.name }, etag: readTag })
      setDraft({ ...draft, name: campaign.name })
    }
  }

  const save = useEffectEvent(async (written: CampaignDraft, before: Saved): Promise<void> => {
    if (isBusy.current) return
    const body = bodyOf(written, zone)
    const changes = changesOf(before.body, body)
    if (Object.keys(changes).length === 0) {
      setError(null)
      setState("saved")
      return
    }
    isBusy.current = true
    setState("saving")
    try {
      const input = { params: { accountId, id: campaign.id }, body: changes as Patch }
      const answer = await callTagged(patchRoute, input, { ifMatch: before.etag ?? undefined })
      setSaved({ body, etag: answer.etag })
      client.setQueryData(campaignKey(accountId, campaign.id), answer)
      void client.invalidateQueries({ queryKey: ["GET /accounts/:accountId/campaigns"] })
      setError(null)
      setState((now) => (now === "saving" ? "saved" : now))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failure)
      setState((now) => (now === "saving" ? "failed" : now))
    } finally {
      isBusy.current = false
      // What was typed during the save is saved next.
      setDraft((now) => ({ ...now }))
    }
  })

  useEffect(() => {
    if (state !== "waiting") return undefined
    const timer = setTimeout(() => void save(draft, saved), restMillis)
    return () => clearTimeout(timer)
  }, [draft, saved, state])

  // Closing the page would lose unsaved changes.
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
    etag: saved.etag,
    set: (change) => {
      setPast([...past.slice(1 - maxUndone), draft])
      setDraft({ ...draft, ...change })
      setState("waiting")
    },
    undo:
      past.length === 0
        ? null
        : () => {
            setDraft({ ...(past.at(-1) ?? draft), name: draft.name })
            setPast(past.slice(0, -1))
            setState("waiting")
          },
    overwrite: () => {
      const etag = error?.details["etag"]
      setSaved({ ...saved, etag: typeof etag === "string" ? etag : null })
      setError(null)
      setState("waiting")
    }
  }
}
