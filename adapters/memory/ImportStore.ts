/**
 * Stores imports in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { ContactImport, ImportError } from "../../core/model/ContactImport.ts"
import { ImportStore } from "../../core/ports/ImportStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, compareText, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

interface Chunk {
  readonly importId: string
  readonly place: number
  readonly bytes: Uint8Array
}

interface KeptError {
  readonly importId: string
  readonly error: ImportError
}

const chunkKey = (id: string, place: number): string => `${id} ${place}`
const errorKey = (id: string, line: number): string => `${id} ${line}`

const byPlace = (a: KeptError, b: KeptError): number =>
  compareText(a.importId, b.importId) || a.error.line - b.error.line

const makeImports = (database: Database["Service"]) => {
  const order = new SortedIndex<ContactImport>(() => all, byField("createdAt"))
  const file = new SortedIndex<Chunk>(
    (chunk) => chunk.importId,
    (a, b) => a.place - b.place
  )
  const report = new SortedIndex<KeptError>(
    (kept) => kept.importId,
    (a, b) => a.error.line - b.error.line
  )
  const byEmail = new SortedIndex<KeptError>((kept) => kept.error.email, byPlace)
  const byExternalId = new SortedIndex<KeptError>((kept) => kept.error.externalId, byPlace)
  return {
    imports: new Table<ContactImport>(database, { key: (entry) => entry.id, indexes: [order] }),
    chunks: new Table<Chunk>(database, {
      key: ({ importId, place }) => chunkKey(importId, place),
      indexes: [file]
    }),
    errors: new Table<KeptError>(database, {
      key: ({ error, importId }) => errorKey(importId, error.line),
      indexes: [report, byEmail, byExternalId]
    }),
    byEmail,
    byExternalId,
    file,
    order,
    report
  }
}

type Imports = ReturnType<typeof makeImports>

const removeFile = ({ chunks, file }: Imports, id: string): void => {
  chunks.removeMany(file.rows(id).map(({ place }) => chunkKey(id, place)))
}

const removeErrors = ({ errors, report }: Imports, id: string): void => {
  errors.removeMany(report.rows(id).map(({ error }) => errorKey(id, error.line)))
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const importsOf = perAccount(() => makeImports(database))

  return ImportStore.of({
    insert: (added) =>
      Effect.asVoid(database.write(() => importsOf(added.accountId).imports.insert(frozen(added)))),
    get: (accountId, id) => database.read(() => importsOf(accountId).imports.get(id) ?? null),
    list: (accountId, page, statuses = null) =>
      database.read(() => {
        const { order } = importsOf(accountId)
        const found = order.rows(all)
        return pageOfAll(
          statuses === null ? found : found.filter(({ status }) => statuses.includes(status)),
          page,
          placeBy("createdAt")
        )
      }),
    save: (changed) =>
      database.writeOrConflict(() => {
        const { imports } = importsOf(changed.accountId)
        if (imports.get(changed.id)?.version !== changed.version - 1) {
          throw new WriteConflict({ constraint: "imports_version" })
        }
        imports.replace(frozen(changed))
      }),
    putChunk: (accountId, id, place, bytes) =>
      Effect.asVoid(
        database.write(() =>
          importsOf(accountId).chunks.insert({ importId: id, place, bytes: new Uint8Array(bytes) })
        )
      ),
    chunk: (accountId, id, place) =>
      database.read(() => {
        const found = importsOf(accountId).chunks.get(chunkKey(id, place))
        return found === undefined ? null : new Uint8Array(found.bytes)
      }),
    removeFile: (accountId, id) => database.write(() => removeFile(importsOf(accountId), id)),
    addErrors: (accountId, id, added) =>
      database.write(() => {
        const { errors } = importsOf(accountId)
        for (const error of added) {
          if (errors.get(errorKey(id, error.line)) !== undefined) continue
          errors.insert({ importId: id, error: frozen(error) })
        }
      }),
    errors: (accountId, id, after, limit) =>
      database.read(() =>
        importsOf(accountId)
          .report.rows(id)
          .map(({ error }) => error)
          .filter(({ line }) => line > after)
          .slice(0, limit)
      ),
    removeErrors: (accountId, id) => database.write(() => removeErrors(importsOf(accountId), id)),
    eraseRows: (accountId, identities) =>
      database.write(() => {
        const { byEmail, byExternalId, errors } = importsOf(accountId)
        const theirs = new Set(
          identities.flatMap(({ email, externalId }) => [
            ...(email === null ? [] : byEmail.rows(email)),
            ...(externalId === null ? [] : byExternalId.rows(externalId))
          ])
        )
        for (const { error, importId } of theirs) {
          errors.replace({ importId, error: { ...error, email: null, externalId: null, cells: null } })
        }
      }),
    remove: (accountId, id) =>
      database.write(() => {
        const imports = importsOf(accountId)
        removeFile(imports, id)
        removeErrors(imports, id)
        imports.imports.remove(id)
      })
  })
}).pipe(Layer.effect(ImportStore))
