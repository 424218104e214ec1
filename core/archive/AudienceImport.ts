/**
 * Imports the suppressed addresses, contacts and items of an archive, each batch in one transaction: loads the affected records,
 * decides by a pure function, and writes the changes.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { ErasedAddresses } from "../audience/contacts/ErasedAddresses.ts"
import { ConsentUpdates } from "../audience/contacts/ConsentUpdates.ts"
import { suppressionChanges, SuppressedAddresses } from "../audience/contacts/SuppressedAddresses.ts"
import type { Store } from "../model/Store.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ConnectedStores } from "../ports/ConnectedStores.ts"
import { ContactFieldStore } from "../ports/ContactFieldStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { ExportStore } from "../ports/ExportStore.ts"
import { ItemStore } from "../ports/ItemStore.ts"
import { SuppressionStore } from "../ports/SuppressionStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { WriteConflict } from "../ports/Transaction.ts"
import type { Suppression } from "../model/Suppression.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import type { LineOf } from "./ArchiveLine.ts"
import { mergeContacts, type Outcome, storeKey } from "./ContactMerge.ts"
import { mergeItems, ownerOf } from "./ItemMerge.ts"

const storePage = 200

const isReport = (entry: Suppression): entry is Suppression & { readonly kind: "Bounced" | "Complained" } =>
  entry.kind !== "Protected"

/** Imports the kinds of lines of which an account has many. */
export class AudienceImport extends Context.Service<AudienceImport>()("svc/archive/AudienceImport", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const connected = yield* ConnectedStores
    const contactStore = yield* ContactStore
    const fieldStore = yield* ContactFieldStore
    const history = yield* ExportStore
    const itemStore = yield* ItemStore
    const suppressionStore = yield* SuppressionStore
    const topicStore = yield* TopicStore
    const atomically = yield* Atomically
    const ids = yield* Ids
    const erasedAddresses = yield* ErasedAddresses
    const suppressedAddresses = yield* SuppressedAddresses
    const { applyReports } = yield* ConsentUpdates

    const storeIds = Effect.fnUntraced(function* (accountId: string) {
      const { items } = yield* connected.list(accountId, { page: 1, pageSize: storePage })
      return new Map(items.map((store: Store) => [storeKey(store), store.id]))
    })

    return {
      /** Imports contacts; returns the outcomes of the lines in the same order. */
      importContacts: Effect.fn("AudienceImport.importContacts")(function* (
        accountId: string,
        lines: ReadonlyArray<LineOf<"contact">>
      ) {
        const emails = lines.map(({ email }) => email)
        const keys = {
          ids: lines.map(({ id }) => id),
          externalIds: lines.flatMap(({ externalId }) => (externalId === null ? [] : [externalId])),
          emails
        }
        const [stored, [account], fields, topics, stores, newIds, now] = yield* Effect.all(
          [
            contactStore.find(accountId, keys),
            accounts.find([accountId]),
            fieldStore.list(accountId),
            topicStore.list(accountId),
            storeIds(accountId),
            ids.many(lines.reduce((sum, { consent }) => sum + consent.history.length + 1, 0)),
            Clock.currentTimeMillis
          ],
          { concurrency: "unbounded" }
        )
        const living = new Set(stored.filter(({ erasedAt }) => erasedAt === null).map(({ email }) => email))
        const [consents, suppressed, erased] = yield* Effect.all(
          [
            history.consents(
              accountId,
              stored.map(({ id }) => id)
            ),
            suppressedAddresses.find(accountId, emails),
            erasedAddresses.among(
              accountId,
              emails.filter((email) => !living.has(email))
            )
          ],
          { concurrency: "unbounded" }
        )
        const contactLimit = account?.settings.contactLimit ?? null
        const { changes, outcomes } = mergeContacts(
          {
            contacts: stored,
            consents,
            fields,
            topics,
            stores,
            suppressed: suppressed.kinds,
            erased,
            contactCount: contactLimit === null ? 0 : yield* contactStore.count(accountId),
            contactLimit,
            ids: newIds,
            now
          },
          lines
        )
        const written = [...changes.inserts, ...changes.updates]
        if (written.length + changes.consents.length > 0) {
          yield* contactStore.write(accountId, changes)
          yield* suppressedAddresses.write(accountId, suppressionChanges(suppressed, written))
          // Shows erasures committed since the first look-up; an erased person is not added again.
          const added = changes.inserts.flatMap(({ email }) => (email === null ? [] : [email]))
          if ((yield* erasedAddresses.among(accountId, added)).size > 0) {
            return yield* new WriteConflict({ constraint: "contacts_erased" })
          }
        }
        return outcomes
      }, atomically),

      /** Imports suppressed addresses; returns the outcomes of the lines in the same order. */
      importSuppressions: Effect.fn("AudienceImport.importSuppressions")(function* (
        accountId: string,
        lines: ReadonlyArray<LineOf<"suppression">>
      ) {
        const entries = lines.map(({ createdAt, email, reason }): Suppression => ({
          accountId,
          email,
          kind: reason,
          source: "Import",
          createdAt
        }))
        yield* suppressionStore.lock([accountId], "Listing")
        const stored = new Map((yield* suppressionStore.find(entries)).map((entry) => [entry.email, entry]))
        const changes = new Map<string, Suppression>()
        const outcomes = entries.map((entry): Outcome => {
          const before = changes.get(entry.email) ?? stored.get(entry.email)
          // A reported bounce or complaint overrides the operator's protection, and the first report stays.
          if (before !== undefined && (isReport(before) || !isReport(entry)))
            return Result.succeed("unchanged")
          changes.set(entry.email, entry)
          return Result.succeed(before === undefined ? "added" : "changed")
        })
        const changed = [...changes.values()]
        const reports = changed.filter(isReport)
        const applied = reports.length === 0 ? [] : yield* applyReports(reports)
        const kinds = new Map(applied.map(({ email, kind }) => [email, kind]))
        if (changed.length > 0) {
          yield* suppressionStore.put(
            changed.map((entry) => ({ ...entry, kind: kinds.get(entry.email) ?? entry.kind }))
          )
        }
        return outcomes
      }, atomically),

      /** Imports items; returns the outcomes of the lines in the same order. */
      importItems: Effect.fn("AudienceImport.importItems")(function* (
        accountId: string,
        lines: ReadonlyArray<LineOf<"item">>
      ) {
        const stores = yield* storeIds(accountId)
        const owners = Map.groupBy(lines, (line) => ownerOf(line, stores))
        const existing = [...owners].filter(([storeId]) => storeId !== undefined)
        const [found, itemCount, newIds] = yield* Effect.all([
          Effect.forEach(existing, ([storeId, owned]) =>
            itemStore.find(
              accountId,
              storeId ?? null,
              owned.map(({ id }) => id)
            )
          ),
          itemStore.count(accountId),
          ids.many(lines.length)
        ])
        const { changes, outcomes } = mergeItems(
          { items: found.flat(), itemCount, stores, ids: newIds },
          lines
        )
        yield* itemStore.write(accountId, changes)
        return outcomes
      }, atomically)
    }
  })
}) {
  static readonly layer = Layer.effect(AudienceImport, AudienceImport.make).pipe(
    Layer.provide(ErasedAddresses.layer)
  )
}
