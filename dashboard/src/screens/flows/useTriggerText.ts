/**
 * Describes the trigger of a flow, with the name of its segment.
 *
 * @module
 */
import { useCallback, useMemo } from "react"
import { useExtra } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { triggerText } from "./describe.ts"

/** The most segments that an account can have, including built-in ones. */
const maxSegments = 200

const isOnSegment = (trigger: unknown): boolean =>
  (trigger as { readonly kind?: unknown } | null | undefined)?.kind === "Segment"

/** Describes a trigger. The segments are read only if one of `triggers` refers to one. */
export const useTriggerText = (triggers: ReadonlyArray<unknown>): ((trigger: unknown) => string) => {
  const texts = useTexts()
  const { can, id: accountId } = useAccount()
  const segments = useExtra(
    "GET /accounts/:accountId/segments",
    { params: { accountId }, query: { limit: maxSegments } },
    { enabled: can("segments:read") && triggers.some(isOnSegment) }
  )
  const names = useMemo(
    () => new Map((segments?.items ?? []).map(({ id, name }) => [id, name])),
    [segments?.items]
  )
  return useCallback((trigger) => triggerText(trigger, texts, names), [names, texts])
}
