/**
 * Stores the templates of accounts.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Template, TemplateVersion, TemplateVersionSummary } from "../model/Template.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of templates. */
export class TemplateStore extends Context.Service<
  TemplateStore,
  {
    readonly insert: (template: Template) => Effect.Effect<void, Unavailable>
    /** Replaces a template; returns whether it exists. */
    readonly save: (template: Template) => Effect.Effect<boolean, Unavailable>
    /** The account's templates with those ids that exist, in no order, in one read. */
    readonly find: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Template>, Unavailable>
    /** Adds a version in the caller's transaction. Only the newest `maxTemplateVersions` of its template stay. */
    readonly addVersion: (version: TemplateVersion) => Effect.Effect<void, Unavailable>
    /** The versions of a template, the newest first. */
    readonly listVersions: (
      accountId: string,
      templateId: string,
      page: PageRequest
    ) => Effect.Effect<Page<TemplateVersionSummary>, Unavailable>
    /** A version; null if the template never had it, or no longer has it. */
    readonly version: (
      accountId: string,
      templateId: string,
      version: number
    ) => Effect.Effect<TemplateVersion | null, Unavailable>
    /** Deletes a template with its versions and returns it; null if the account has none with the id. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<Template | null, Unavailable>
    /**
     * The account's templates with the id, or whose name contains a text (case-insensitive), newest first, at most `limit`. A
     * null id matches no template.
     */
    readonly search: (
      accountId: string,
      id: string | null,
      text: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Template>, Unavailable>
    /** An account's templates, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Template>, Unavailable>
  }
>()("svc/ports/TemplateStore") {}
