/**
 * Checks the database ("store"): whether it can be reached, its version and schema, and whether the secret key fits it. It also
 * reads the sending domains.
 *
 * @module
 */
import { Cause, Clock, Effect, Exit } from "effect"
import { makeSecretBox } from "../../../adapters/crypto/SecretBox.ts"
import { DatabaseUnusable, type RightFaults } from "../../../adapters/postgres/engine/DatabaseUnusable.ts"
import { DataDirectoryInUse } from "../../../adapters/postgres/engine/DirectoryLock.ts"
import * as Embedded from "../../../adapters/postgres/engine/Embedded.ts"
import { inspect } from "../../../adapters/postgres/engine/Inspection.ts"
import { maxConnections } from "../../../adapters/postgres/engine/Server.ts"
import { secretCheckPurpose } from "../../../core/accounts/SecretCheck.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { CampaignStore } from "../../../core/ports/CampaignStore.ts"
import { DomainStore } from "../../../core/ports/DomainStore.ts"
import { RelayStore } from "../../../core/ports/RelayStore.ts"
import { SourceStore } from "../../../core/ports/SourceStore.ts"
import type { PartitionedTable } from "../../../core/ports/Partitions.ts"
import { countsOf } from "../../../core/campaigns/CampaignRules.ts"
import { refreshRecords } from "../../../core/sending/domains/DomainRules.ts"
import { unreportedOf } from "../../../core/sending/relays/Unreported.ts"
import { deepEqual } from "../../../core/shared/Json.ts"
import type { Page, PageRequest } from "../../../core/shared/Page.ts"
import type { Configuration } from "../../config/config.ts"
import { publicEndpointOf } from "../../server/publicEndpoint.ts"
import { secretKeysOf } from "../../server/secrets.ts"
import { storageLayer } from "../../server/storage.ts"
import { isSingle } from "../../supervisor/ProcessPlan.ts"
import { engineOf, explainFailures } from "../migrateStore.ts"
import { oneLine } from "../output.ts"
import { mostOfAccount, type RecountedCampaign, recounted } from "./campaigns.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"
import type { NeededRecords } from "./names.ts"
import type { SeenRelay } from "./relays.ts"
import type { SeenSource } from "./sources.ts"

/** The data that was read from the database. */
export interface StoreReport {
  readonly findings: ReadonlyArray<Finding>
  /** The sending domains of all live accounts; null if the database could not be read. */
  readonly domains: ReadonlyArray<NeededRecords> | null
  /** The relays of the installation and of all companies; null if the database could not be read. */
  readonly relays: ReadonlyArray<SeenRelay> | null
  /** The addresses from which mail is sent; null if the database could not be read. */
  readonly sources: ReadonlyArray<SeenSource> | null
  /** The recounted campaigns; null if the database could not be read. */
  readonly campaigns: ReadonlyArray<RecountedCampaign> | null
  /** Whether a running process uses it exclusively. That process can be queried instead. */
  readonly inUse: boolean
}

const pageSize = 200

const everyPage = Effect.fnUntraced(function* <A, E>(list: (page: PageRequest) => Effect.Effect<Page<A>, E>) {
  const all: Array<A> = []
  for (let page = 1; ; page++) {
    const { items } = yield* list({ page, pageSize })
    all.push(...items)
    if (items.length < pageSize) return all
  }
})

/** The sending domains of live accounts. Those of a sandbox need no records. */
const liveDomains = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const domains = yield* DomainStore
  const companies = yield* everyPage(accounts.companies)
  const found = yield* Effect.forEach(companies, ({ liveAccountId }) =>
    everyPage((page) => domains.list(liveAccountId, page))
  )
  return found.flat()
})

const allRelays = Effect.gen(function* () {
  const companies = yield* everyPage((yield* AccountStore).companies)
  const names = new Map(companies.map(({ id, name }) => [id, name]))
  const relays = yield* (yield* RelayStore).all
  const unreported = yield* unreportedOf(relays)
  return relays.map((relay): SeenRelay => ({
    ...relay,
    unreported: unreported.get(relay.id) ?? null,
    company: relay.companyId === null ? null : (names.get(relay.companyId) ?? relay.companyId),
    takesReports: relay.feedbackSecrets.length > 0 || Object.keys(relay.feedback).length > 0
  }))
})

/** The campaigns of live accounts that changed last, recounted. */
const recountedCampaigns = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const store = yield* CampaignStore
  const sort = { by: "updated", ascending: false }
  const found = yield* Effect.forEach(yield* everyPage(accounts.companies), ({ liveAccountId }) =>
    store.list(liveAccountId, {}, { page: 1, pageSize: mostOfAccount, sort })
  )
  return yield* Effect.forEach(recounted(found.flatMap(({ items }) => items)), ({ accountId, id, name }) =>
    Effect.gen(function* () {
      const isCounted = deepEqual(
        countsOf((yield* store.counts(accountId, [id]))[0]!),
        countsOf(yield* store.recount(accountId, id))
      )
      return { accountId, id, name, isCounted } satisfies RecountedCampaign
    })
  )
})

const allSources = Effect.gen(function* () {
  return (yield* (yield* SourceStore).all).sources
})

/** Checks whether the secret key opens the string that was sealed at the first start. */
const checkFit = (configured: Configuration, sealed: string) =>
  Effect.gen(function* () {
    const { current, previous } = yield* secretKeysOf(configured)
    return yield* makeSecretBox(current, { previous }).open(sealed, secretCheckPurpose)
  }).pipe(
    Effect.as(ok("secret key fits", "it decrypts the secrets of this store")),
    Effect.catch(() =>
      Effect.succeed(
        fail(
          "secret key fits",
          "it is not the key with which this store was set up",
          "Set SVC_SECRET_KEY or restore the file secret.key from the backup of this installation"
        )
      )
    )
  )

const explainStore = (cause: Cause.Cause<unknown>): Finding => {
  const error = Cause.squash(cause)
  if (error instanceof DataDirectoryInUse) {
    return ok(
      "store",
      "in use by a running process, and only one process can open it. Stop that process to check the store"
    )
  }
  return error instanceof DatabaseUnusable
    ? fail("store", oneLine(error.reason), oneLine(error.fix))
    : fail(
        "store",
        "it cannot be opened",
        "Check SVC_STORE, and that the database is running and accepts this user"
      )
}

/** Checks whether the user of the database has the rights that the service and its next migration need. */
const checkRights = ({ toMigrate, toRun }: RightFaults, isBehind: boolean): Finding => {
  const check = "database user"
  if (toRun !== null) return fail(check, toRun.reason, toRun.fix)
  if (toMigrate === null) return ok(check, "can create tables, and read and write the tables of the service")
  return (isBehind ? fail : warn)(check, toMigrate.reason, toMigrate.fix)
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The problems with the partitions of a table; usually none. */
const checkPartitions = ({ later, name, until }: PartitionedTable, now: number): ReadonlyArray<Finding> => {
  const check = "partitions"
  if (until < now) {
    return [
      warn(
        check,
        `the partitions of ${name} end on ${dayOf(until)}; all later rows are stored in the last one`,
        "Start a node with the role worker, which creates partitions, and look for `partitions were not made` in its log"
      )
    ]
  }
  if (later === 0) return []
  return [
    warn(
      check,
      `${later === 1 ? `1 row of ${name} has an id` : `${later} rows of ${name} have ids`} from after ${dayOf(until)}, because the clock of a node was far ahead`,
      "Synchronise the clocks of all nodes. The rows themselves work like any others"
    )
  ]
}

/** Checks whether the server allows the connections of this node's processes, and of one more while they are restarted. */
const checkConnections = ({ processes }: Configuration, allowed: number): Finding => {
  const check = "database connections"
  const count = processes.reduce((sum, group) => sum + group.count, 0)
  const needed = maxConnections * (isSingle(processes) ? 1 : count + 1)
  return needed <= allowed
    ? ok(check, `this node uses up to ${needed}, and the server allows ${allowed} in total`)
    : warn(
        check,
        `this node may need ${needed}, and the server allows ${allowed} in total`,
        "Raise max_connections or the limit of the user or the database, or run fewer processes"
      )
}

/** By how much this machine's clock may differ from the database's, in milliseconds. Nodes may differ by five seconds. */
const maxSkew = 2_000

/** The problems with the clock; usually none. */
const checkClock = (clock: number, now: number): ReadonlyArray<Finding> =>
  Math.abs(clock - now) <= maxSkew
    ? []
    : [
        warn(
          "clock",
          `it differs from the clock of the database by ${Math.round(Math.abs(clock - now) / 1000)} seconds`,
          "Synchronise the clocks of all nodes and of the database. Nodes whose clocks differ by more than 5 seconds may exceed the connection limits of mail servers"
        )
      ]

/** The suspensions that hold mail; usually none. */
const checkHeld = (suspensions: number): ReadonlyArray<Finding> =>
  suspensions === 0
    ? []
    : [
        warn(
          "held mail",
          suspensions === 1 ? "one suspension holds mail" : `${suspensions} suspensions hold mail`,
          "Run svc shaping notices to see the replies of the servers and what to do"
        )
      ]

const nothing = (finding: Finding): StoreReport => ({
  findings: [finding],
  domains: null,
  relays: null,
  sources: null,
  campaigns: null,
  inUse: false
})

/** Checks the database without changing anything in it. */
export const checkStore = Effect.fnUntraced(function* (configured: Configuration) {
  const { dataDir, store } = configured
  const engine = engineOf(configured)
  if (engine === null) {
    return nothing(
      warn(
        "store",
        "in memory, so all data is lost when the process ends",
        "Set SVC_STORE, except for a trial"
      )
    )
  }
  if (store._tag === "Embedded" && !Embedded.isMade(dataDir)) {
    return nothing(ok("store", "none yet; the first start creates it"))
  }
  const looked = yield* Effect.exit(
    explainFailures(configured)(Effect.scoped(Effect.provide(inspect, engine)))
  )
  if (Exit.isFailure(looked)) {
    const inUse = Cause.squash(looked.cause) instanceof DataDirectoryInUse
    return { ...nothing(explainStore(looked.cause)), inUse }
  }
  const {
    clock,
    currentSchema,
    engineFault,
    engineVersion,
    maxConnections: allowed,
    partitioned,
    rights,
    schema,
    secretCheck,
    suspensions,
    twins
  } = looked.value
  const findings: Array<Finding> = []
  const what = store._tag === "Embedded" ? "embedded PostgreSQL" : "PostgreSQL"
  findings.push(
    engineFault !== null
      ? fail("store", engineFault.reason, engineFault.fix)
      : ok("store", `${what} ${engineVersion} responds`)
  )
  findings.push(checkRights(rights, schema < currentSchema))
  if (store._tag === "Postgres") findings.push(checkConnections(configured, allowed))
  if (schema > currentSchema) {
    findings.push(
      fail(
        "schema",
        `${schema}, which is newer than ${currentSchema}, the schema of this version`,
        "Start the newer version of the service again"
      )
    )
  } else if (schema < currentSchema) {
    findings.push(
      warn(
        "schema",
        `${schema}; this version needs ${currentSchema}`,
        "Run svc migrate, or start the service, which migrates too"
      )
    )
  } else findings.push(ok("schema", `${schema}, which is current`))
  if (secretCheck !== null) findings.push(yield* checkFit(configured, secretCheck))
  findings.push(
    ...twins.map(({ accountId, contactId, keptBy }) =>
      warn(
        "one contact an address",
        `the address of contact ${contactId} of account ${accountId} is another spelling of the address of contact ${keptBy}, so the first contact gets no email`,
        "Change the address of the first contact, or erase the contact"
      )
    )
  )
  const now = yield* Clock.currentTimeMillis
  findings.push(...partitioned.flatMap((table) => checkPartitions(table, now)))
  findings.push(...checkClock(clock, now), ...checkHeld(suspensions))
  const report: StoreReport = {
    findings,
    domains: null,
    relays: null,
    sources: null,
    campaigns: null,
    inUse: false
  }
  if (schema !== currentSchema) return report
  const { publicEndpoint } = publicEndpointOf(configured)
  const asked = yield* Effect.exit(
    Effect.scoped(
      Effect.provide(
        Effect.all([liveDomains, allRelays, allSources, recountedCampaigns]),
        storageLayer(configured)
      )
    )
  )
  if (Exit.isFailure(asked)) return report
  const [domains, relays, sources, campaigns] = asked.value
  return {
    ...report,
    domains: domains.map((domain) =>
      refreshRecords(domain, {
        ...publicEndpoint,
        hasSources: sources.some(({ mode }) => mode !== "Retired")
      })
    ),
    relays,
    sources,
    campaigns
  }
})
