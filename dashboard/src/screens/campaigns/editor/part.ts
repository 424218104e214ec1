/**
 * The properties that the steps of the editor share.
 *
 * @module
 */
import type { CampaignDraft } from "../../../lib/campaigns/draft.ts"

/** The properties of a step. */
export interface PartProps {
  readonly accountId: string
  readonly draft: CampaignDraft
  readonly set: (change: Partial<CampaignDraft>) => void
  /** The service's error for the first of the named fields that has one. */
  readonly errorOf: (...names: ReadonlyArray<string>) => string | undefined
  readonly isReadOnly: boolean
}
