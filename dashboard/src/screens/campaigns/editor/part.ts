/**
 * What each part of the editor is given.
 *
 * @module
 */
import type { CampaignDraft } from "../../../lib/campaigns/draft.ts"

/** The properties of a part. */
export interface PartProps {
  readonly accountId: string
  readonly draft: CampaignDraft
  readonly set: (change: Partial<CampaignDraft>) => void
  /** What the service said of the first of some fields. */
  readonly errorOf: (...names: ReadonlyArray<string>) => string | undefined
  readonly isReadOnly: boolean
}
