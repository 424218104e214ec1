/**
 * A contact as a caller submits it, not yet validated: events and imports carry it as well.
 *
 * @module
 */
import type { Maybe } from "../shared/Validate.ts"

/** Attributes as a write sends them, by key: a value is set, null removes. */
export type AttributePatch = { readonly [key: string]: unknown }

/** Topics as a write turns them on or off, by key. */
export type TopicPatch = { readonly [key: string]: boolean }

/** The shape of a write, its types checked and nothing else. */
export interface ContactWrite {
  readonly id?: Maybe<string>
  readonly externalId?: Maybe<string>
  readonly email?: Maybe<string>
  readonly firstName?: Maybe<string>
  readonly lastName?: Maybe<string>
  readonly phone?: Maybe<string>
  readonly city?: Maybe<string>
  readonly countryCode?: Maybe<string>
  readonly language?: Maybe<string>
  readonly attributes?: Maybe<{ readonly [key: string]: unknown }>
  readonly consent?: Maybe<{
    readonly basis: string
    readonly proof?: Maybe<{
      readonly text?: Maybe<string>
      readonly textVersion?: Maybe<string>
      readonly locale?: Maybe<string>
      readonly ipAddress?: Maybe<string>
      readonly givenAt?: Maybe<string>
    }>
  }>
  readonly topics?: Maybe<{ readonly [key: string]: boolean }>
  /** Only flows change tags this way. */
  readonly tags?: TagPatch
}

/** Tags as a write adds and removes them. */
export interface TagPatch {
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}
