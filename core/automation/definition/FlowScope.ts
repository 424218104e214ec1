/**
 * What a flow definition may refer to in its account.
 *
 * @module
 */
import type { SegmentScope } from "../../audience/segments/SegmentRules.ts"

/** What a definition may name. */
export interface FlowScope extends SegmentScope {
  /** The ids of the account's templates among those that `templateIdsOf` finds. */
  readonly templateIds: ReadonlySet<string>
  /** Whether a URL can be called as far as its text tells. */
  readonly acceptsUrl: (url: string) => boolean
}
