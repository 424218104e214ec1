/**
 * Stores flows in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Flow, FlowVersion, VersionRef } from "../../core/model/Flow.ts"
import { names } from "../../core/model/FlowDefinition.ts"
import { type FlowCall, FlowStore } from "../../core/ports/FlowStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { mapPage, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, compareText, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const versionKey = ({ accountId, flowId, version }: VersionRef): string => `${accountId}/${flowId}/${version}`

const flowKey = (accountId: string, id: string): string => `${accountId}/${id}`

const callKey = ({ accountId, callId, flowId }: FlowCall): string => `${accountId}/${flowId}/${callId}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const newest = byField("createdAt")
  const order = new SortedIndex<Flow>((flow) => flow.accountId, newest)
  const started = new SortedIndex<Flow>(
    ({ accountId, startsOn, status }) =>
      startsOn !== null && status === "Published" ? `${accountId}/${startsOn}` : null,
    newest
  )
  const watching = new SortedIndex<Flow>(
    ({ accountId, segmentId, status }) => (segmentId !== null && status === "Published" ? accountId : null),
    (one, other) => compareText(one.id, other.id)
  )
  const tokens = new SortedIndex<Flow>((flow) => flow.tokenHash, newest)
  const flows = new Table<Flow>(database, {
    key: ({ accountId, id }) => flowKey(accountId, id),
    indexes: [order, started, watching, tokens]
  })
  const numbered = new SortedIndex<FlowVersion>(
    ({ accountId, flowId }) => flowKey(accountId, flowId),
    (one, other) => one.version - other.version
  )
  const versions = new Table<FlowVersion>(database, { key: versionKey, indexes: [numbered] })
  const called = new SortedIndex<FlowCall & { readonly id: string }>(
    ({ accountId, contactId }) => (contactId === null ? null : `${accountId}/${contactId}`),
    byField("at")
  )
  const calls = new Table<FlowCall & { readonly id: string }>(database, { key: callKey, indexes: [called] })

  return FlowStore.of({
    insert: (flow) => Effect.asVoid(database.write(() => flows.insert(frozen(flow)))),
    lock: (accountId, id) => database.read(() => flows.get(flowKey(accountId, id)) ?? null),
    save: (flow) => Effect.asVoid(database.write(() => flows.replace(frozen(flow)))),
    find: (accountId, ids) => database.read(() => flows.getMany(ids.map((id) => flowKey(accountId, id)))),
    search: (accountId, id, text, limit) =>
      database.read(() =>
        order
          .rows(accountId)
          .filter((one) => one.id === id || one.name.toLowerCase().includes(text.toLowerCase()))
          .toReversed()
          .slice(0, limit)
      ),
    list: (accountId, page) => database.read(() => order.page(accountId, page, placeBy("createdAt"))),
    publish: (version) =>
      database.writeOrConflict(() => {
        if (versions.get(versionKey(version)) !== undefined) {
          throw new WriteConflict({ constraint: "flow_versions_pkey" })
        }
        versions.insert(frozen(version))
      }),
    versions: (refs) => database.read(() => versions.getMany(refs.map(versionKey))),
    listVersions: (accountId, flowId, page) =>
      database.read(() =>
        mapPage(
          numbered.page(flowKey(accountId, flowId), page, ({ version }) => [version]),
          ({ publishedAt, version }) => ({ version, publishedAt })
        )
      ),
    startedBy: (accountId, events) =>
      database.read(() =>
        [...new Set(events)].flatMap((event) =>
          started
            .rows(`${accountId}/${event}`)
            .map(({ id, version }) => ({ accountId, flowId: id, version, event }))
        )
      ),
    onSegments: (accountId) =>
      database.read(() =>
        watching
          .rows(accountId)
          .map(({ id, segmentId, version }) => ({ accountId, flowId: id, version, segmentId: segmentId! }))
      ),
    using: (accountId, what, wanted) =>
      database.read(() =>
        order
          .rows(accountId)
          .filter(({ status }) => status !== "Archived")
          .map((flow) => {
            const { id, name, status, version } = flow
            const published = versions.get(versionKey({ accountId, flowId: id, version }))
            const isPublished = published !== undefined && names(published.definition, what, wanted)
            return {
              id,
              name,
              status,
              isPublished,
              isUsed: isPublished || names(flow.definition, what, wanted)
            }
          })
          .filter(({ isUsed }) => isUsed)
          .map(({ isUsed: _isUsed, ...use }) => use)
          .toSorted((one, other) => compareText(one.name, other.name) || compareText(one.id, other.id))
      ),
    ofToken: (hash) => database.read(() => tokens.rows(hash)[0] ?? null),
    addCall: (call) =>
      database.write(() => {
        const earlier = calls.get(callKey(call))
        if (earlier === undefined) {
          calls.insert(frozen({ ...call, id: callKey(call) }))
          return null
        }
        const { id: _id, ...found } = earlier
        return found
      }),
    nameCaller: (call) =>
      Effect.asVoid(database.write(() => calls.replace(frozen({ ...call, id: callKey(call) })))),
    eraseCalls: (accountId, contactIds) =>
      database.write(() => {
        const gone = contactIds.flatMap((contactId) => called.rows(`${accountId}/${contactId}`))
        calls.removeMany(gone.map(callKey))
      })
  })
}).pipe(Layer.effect(FlowStore))
