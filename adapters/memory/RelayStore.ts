/**
 * Stores relays in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { MailRelay } from "../../core/model/MailRelay.ts"
import {
  type EarlyReport,
  type KnownReport,
  type RelayMessage,
  RelayStore,
  type ReportToken
} from "../../core/ports/RelayStore.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, compareText, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"

const keyOf = ({ relayId, token }: Pick<ReportToken, "relayId" | "token">): string => `${relayId} ${token}`

const keyOfMessage = ({ accountId, deliveryId }: Pick<RelayMessage, "accountId" | "deliveryId">): string =>
  `${accountId} ${deliveryId}`
const keyOfProvider = ({
  providerId,
  relayId
}: Pick<RelayMessage, "providerId" | "relayId">): string | null =>
  providerId === null ? null : `${relayId} ${providerId}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: tablesOf } = yield* SubmissionTables
  const ofOwner = new SortedIndex<MailRelay>(({ companyId }) => companyId ?? "", byField("createdAt"))
  const order = new SortedIndex<MailRelay>(() => all, byField("createdAt"))
  const relays = new Table<MailRelay>(database, { key: ({ id }) => id, indexes: [ofOwner, order] })
  const expiring = new SortedIndex<ReportToken>(
    () => all,
    (one, other) => one.expiresAt - other.expiresAt || compareText(keyOf(one), keyOf(other))
  )
  const tokens = new Table<ReportToken>(database, { key: keyOf, indexes: [expiring] })

  const byAge = (one: RelayMessage, other: RelayMessage): number =>
    one.sentAt - other.sentAt || compareText(keyOfMessage(one), keyOfMessage(other))
  const known = new SortedIndex<RelayMessage>(keyOfProvider, byAge)
  const aging = new SortedIndex<RelayMessage>(() => all, byAge)
  const ofRelay = new SortedIndex<RelayMessage>(({ relayId }) => relayId, byAge)
  const messages = new Table<RelayMessage>(database, { key: keyOfMessage, indexes: [known, aging, ofRelay] })

  const byKept = (one: EarlyReport, other: EarlyReport): number =>
    one.keptAt - other.keptAt || compareText(one.id, other.id)
  const kept = new SortedIndex<EarlyReport>(() => all, byKept)
  const keptOf = new SortedIndex<EarlyReport>(({ relayId }) => relayId, byKept)
  const early = new Table<EarlyReport>(database, { key: ({ id }) => id, indexes: [kept, keptOf] })

  const change = (id: string, changed: (relay: MailRelay) => Partial<MailRelay>) =>
    database.write(() => {
      const found = relays.get(id)
      if (found !== undefined) relays.replace(frozen({ ...found, ...changed(found) }))
    })

  return RelayStore.of({
    insert: (relay) => database.write(() => void relays.insert(frozen(relay))),
    find: (ids) => database.read(() => relays.getMany([...new Set(ids)])),
    list: (companyId, page) => database.read(() => ofOwner.page(companyId ?? "", page, placeBy("createdAt"))),
    count: (companyId) => database.read(() => ofOwner.rows(companyId ?? "").length),
    all: database.read(() => [...order.rows(all)]),
    save: (relay) =>
      change(
        relay.id,
        ({ companyId, createdAt, kind, lastRefusal, lastReportAt, state, stateReason, words }) => ({
          ...relay,
          companyId,
          createdAt,
          kind,
          lastRefusal,
          lastReportAt,
          state,
          stateReason,
          words
        })
      ),
    resealSecrets: (id, from, to) =>
      change(id, ({ secrets: stored }) => ({ secrets: stored === from ? to : stored })),
    saveCondition: (id, { state, stateReason, words }, refusal) =>
      change(id, ({ lastRefusal }) => ({ state, stateReason, words, lastRefusal: refusal ?? lastRefusal })),
    reported: (id, at) =>
      change(id, ({ lastReportAt }) => ({ lastReportAt: Math.max(lastReportAt ?? at, at) })),
    remove: (companyId, id) =>
      database.write(() => {
        const found = relays.get(id)
        if (found === undefined || found.companyId !== companyId) return null
        relays.remove(id)
        return found
      }),
    noteMessages: (added) =>
      database.write(() => {
        for (const message of added) {
          if (messages.get(keyOfMessage(message)) === undefined) messages.insert(frozen(message))
          else messages.replace(frozen(message))
        }
      }),
    findMessages: (relayId, providerIds) =>
      database.read(() =>
        [...new Set(providerIds)].flatMap((providerId) => known.rows(keyOfProvider({ relayId, providerId })!))
      ),
    unreported: (relayIds, since, until, limit) =>
      database.read(() =>
        [...new Set(relayIds)].flatMap((relayId) => {
          const latest: Array<RelayMessage> = []
          for (const message of ofRelay.rows(relayId).toReversed()) {
            if (latest.length === limit || message.sentAt < since) break
            if (message.sentAt < until) latest.push(message)
          }
          const statuses = latest.flatMap(
            ({ accountId, deliveryId }) =>
              tablesOf(accountId).deliveries.get(deliveryId)?.delivery.status ?? []
          )
          const unreported = statuses.filter((status) => status === "Accepted").length
          return statuses.length === 0 ? [] : [{ relayId, messages: statuses.length, unreported }]
        })
      ),
    pruneMessages: (before, limit) =>
      database.write(() => {
        const gone = firstRows(aging.rows(all), limit, ({ sentAt }) => sentAt < before)
        messages.removeMany(gone.map(keyOfMessage))
        return gone.length
      }),
    claimToken: (token) =>
      database.write(() => {
        const stored = tokens.get(keyOf(token))
        if (stored !== undefined) return stored.digest === token.digest ? "Repeated" : "Used"
        tokens.insert(frozen(token))
        return "Claimed"
      }),
    keepReports: (relayId, reports, most) =>
      database.write(() => {
        for (const report of reports) early.insert(frozen(report))
        const theirs = keptOf.rows(relayId)
        early.removeMany(theirs.slice(0, Math.max(0, theirs.length - most)).map(({ id }) => id))
      }),
    claimReports: (limit) =>
      database.write(() => {
        const found = kept.rows(all).flatMap((report): ReadonlyArray<KnownReport> => {
          const key = keyOfProvider(report)
          const [message] = key === null ? [] : known.rows(key)
          const delivery =
            message === undefined ? report.delivery : { accountId: message.accountId, id: message.deliveryId }
          if (delivery === null) return []
          const status = tablesOf(delivery.accountId).deliveries.get(delivery.id)?.delivery.status
          return status === undefined || status === "HandingOff" ? [] : [{ ...report, delivery }]
        })
        const claimed = found.slice(0, limit)
        early.removeMany(claimed.map(({ id }) => id))
        return claimed
      }),
    pruneReports: (before, limit) =>
      database.write(() => {
        const gone = firstRows(kept.rows(all), limit, ({ keptAt }) => keptAt < before)
        early.removeMany(gone.map(({ id }) => id))
        return gone.length
      }),
    pruneTokens: (before, limit) =>
      database.write(() => {
        const gone = firstRows(expiring.rows(all), limit, ({ expiresAt }) => expiresAt < before)
        tokens.removeMany(gone.map(keyOf))
        return gone.length
      })
  })
}).pipe(Layer.effect(RelayStore))
