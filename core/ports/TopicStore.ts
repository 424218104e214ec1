/**
 * Stores topics, unique by key in an account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Topic } from "../model/Topic.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of topics. */
export class TopicStore extends Context.Service<
  TopicStore,
  {
    /** Adds a topic; `WriteConflict("topics_key")` when the account has one with that key. */
    readonly insert: (topic: Topic) => Effect.Effect<void, WriteConflict | Unavailable>
    /** All topics of an account, archived ones included, oldest first. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<Topic>, Unavailable>
    /** Replaces name, description and isArchived of a topic. */
    readonly save: (topic: Topic) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/TopicStore") {}
