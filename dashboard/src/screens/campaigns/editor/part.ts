/**
 * The properties that the steps of the editor share.
 *
 * @module
 */
import type { CampaignDraft } from "../../../lib/campaigns/draft.ts"

/** A finding of the check before launch. */
export interface ShownFinding {
  /** The field to show; null if the finding concerns no field. */
  readonly field: string | null
  readonly message: string
  readonly severity: "Error" | "Warning"
}

/** The properties of a step. */
export interface PartProps {
  readonly accountId: string
  readonly draft: CampaignDraft
  readonly set: (change: Partial<CampaignDraft>) => void
  /** The service's error for the first of the named fields that has one, itself or within it. */
  readonly errorOf: (...names: ReadonlyArray<string>) => string | undefined
  /** The service's error for a field as a whole. */
  readonly ownErrorOf: (name: string) => string | undefined
  readonly isReadOnly: boolean
}
