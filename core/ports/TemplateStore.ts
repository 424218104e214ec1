/**
 * Templates of accounts.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Template } from "../model/Template.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of templates. */
export class TemplateStore extends Context.Service<
  TemplateStore,
  {
    readonly insert: (template: Template) => Effect.Effect<void, Unavailable>
    /** Replaces a template; answers whether it is there. */
    readonly save: (template: Template) => Effect.Effect<boolean, Unavailable>
    /** The account's templates of those ids that exist, in no order, in one read. */
    readonly find: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Template>, Unavailable>
    /** Removes a template; answers it, or null when the account has none of that id. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<Template | null, Unavailable>
    /** An account's templates, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Template>, Unavailable>
  }
>()("svc/ports/TemplateStore") {}
