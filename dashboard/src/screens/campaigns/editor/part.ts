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

/** The options of a choice by their names. */
export const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))
