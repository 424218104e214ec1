/**
 * A contact as submitted in requests, events and imports, not yet validated.
 *
 * @module
 */
import type { Maybe } from "../shared/Validate.ts"

/** Changes of attributes by key: a value sets the attribute, null removes it. */
export type AttributePatch = { readonly [key: string]: unknown }

/** Topics to turn on or off, by key. */
export type TopicPatch = { readonly [key: string]: boolean }

/** A contact as submitted, of which only the types are validated. */
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
  /** Changes of tags. Only flows use this. */
  readonly tags?: TagPatch
}

/** Tags to add and remove. */
export interface TagPatch {
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}
