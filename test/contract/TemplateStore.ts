/**
 * The contract of `core/ports/TemplateStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import { maxTemplateVersions, type Template, type TemplateVersion } from "../../core/model/Template.ts"
import {
  byId,
  edited,
  freshAccountId,
  listsNewestFirst,
  newId,
  now,
  oddText,
  readOn,
  type StorageTest,
  times
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<Template> = {}): Template => ({
  id: newId(),
  accountId,
  name: "Welcome",
  subject: "Hello {{ name }}",
  version: 1,
  format: "Html",
  source: null,
  preheader: null,
  html: "<p>{{ name }}</p>",
  compiledHtml: "<p>{{ name }}</p>",
  text: null,
  createdAt: now,
  updatedAt: now,
  updatedBy: null,
  ...values
})

/** Tests of the port `TemplateStore`. */
export const templateStoreContract = (it: StorageTest): void => {
  describe("TemplateStore", () => {
    it.effect("returns templates as they were added, to their account only", () =>
      Effect.gen(function* () {
        const store = yield* TemplateStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const templates = [
          draft(accountId, { name: oddText, subject: oddText, html: oddText, compiledHtml: oddText }),
          draft(accountId, { html: "<mjml></mjml>", compiledHtml: "<p></p>", text: oddText }),
          draft(accountId, { html: null, compiledHtml: null, text: "only text" }),
          draft(accountId, { html: "x".repeat(500_000), compiledHtml: "y".repeat(500_000) })
        ]
        for (const template of templates) yield* store.insert(template)
        const ids = templates.map(({ id }) => id)
        expect(byId(yield* store.find(accountId, [...ids, newId(), ids[0]!]))).toEqual(byId(templates))
        expect(yield* store.find(other, ids)).toEqual([])
        expect(yield* store.find(accountId, [])).toEqual([])
      })
    )

    it.effect("replaces a stored template, and does not restore a removed one", () =>
      Effect.gen(function* () {
        const store = yield* TemplateStore
        const accountId = yield* freshAccountId
        const template = draft(accountId)
        const untouched = draft(accountId)
        yield* store.insert(template)
        yield* store.insert(untouched)
        const saved: Template = {
          ...template,
          name: "Goodbye",
          subject: "Bye",
          html: "<mjml></mjml>",
          compiledHtml: "<i></i>",
          text: "bye",
          version: 2,
          preheader: "See you",
          ...edited
        }
        expect(yield* store.save(saved)).toBe(true)
        expect(yield* store.find(accountId, [template.id])).toEqual([saved])
        expect(yield* store.save({ ...saved, accountId: yield* freshAccountId })).toBe(false)
        expect(yield* store.save({ ...saved, id: newId() })).toBe(false)
        expect(yield* store.save(template)).toBe(true)
        expect(byId(yield* store.find(accountId, [template.id, untouched.id]))).toEqual(
          byId([template, untouched])
        )
        yield* store.remove(accountId, template.id)
        expect(yield* store.save(saved)).toBe(false)
        expect(yield* store.find(accountId, [template.id])).toEqual([])
      })
    )

    it.effect("keeps the newest versions of a template, until it is removed", () =>
      Effect.gen(function* () {
        const store = yield* TemplateStore
        const accountId = yield* freshAccountId
        const template = draft(accountId, {
          format: "Mjml",
          source: "<mjml/>",
          preheader: oddText,
          html: null,
          compiledHtml: "<p/>"
        })
        const {
          createdAt: _created,
          id: templateId,
          updatedAt: savedAt,
          updatedBy: _by,
          ...content
        } = template
        const by = { kind: "User", id: newId(), name: oddText } as const
        const versions = times(maxTemplateVersions + 2, (index): TemplateVersion => ({
          ...content,
          templateId,
          version: index + 1,
          savedAt: savedAt + index,
          savedBy: index === 5 ? null : by
        }))
        yield* store.insert(template)
        for (const version of versions) yield* store.addVersion(version)
        yield* store.addVersion({ ...versions[0]!, templateId: newId() })
        const kept = versions.slice(2)
        expect(yield* readOn((page) => store.listVersions(accountId, templateId, page), 20)).toEqual(
          kept
            .map(({ name, savedAt: at, savedBy, subject, version }) => ({
              version,
              savedAt: at,
              savedBy,
              name,
              subject
            }))
            .toReversed()
        )
        expect(yield* store.version(accountId, templateId, 6)).toEqual(versions[5])
        expect(yield* store.version(accountId, templateId, 2)).toBeNull()
        expect(yield* store.version(yield* freshAccountId, templateId, 6)).toBeNull()
        yield* store.remove(accountId, templateId)
        expect(yield* store.version(accountId, templateId, 6)).toBeNull()
      })
    )

    it.effect("removes a template of the account, and returns it", () =>
      Effect.gen(function* () {
        const store = yield* TemplateStore
        const accountId = yield* freshAccountId
        const template = draft(accountId)
        yield* store.insert(template)
        expect(yield* store.remove(yield* freshAccountId, template.id)).toBeNull()
        expect(yield* store.remove(accountId, template.id)).toEqual(template)
        expect(yield* store.remove(accountId, template.id)).toBeNull()
      })
    )

    listsNewestFirst(it, "templates", TemplateStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draft(accountId, { createdAt }),
      timeOf: (template) => template.createdAt,
      insert,
      list
    }))
  })
}
