/**
 * The checks of `svc doctor`. They are loaded on demand because they import most of the service.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import * as Dns from "../../adapters/dns/Dns.ts"
import * as SecureDns from "../../adapters/dns/SecureDns.ts"
import { type Configuration, configuration } from "../config/config.ts"
import { checkCampaigns, mostOfAccount, type RecountedCampaign, recounted } from "./checks/campaigns.ts"
import { checkDataDirectory, checkSecretKeySource } from "./checks/files.ts"
import { fail, type Finding, ok, warn } from "./checks/Finding.ts"
import { checkCertificate, checkTransport } from "./checks/mail.ts"
import { checkDomains, checkHostSignature, checkMailHost, checkValidation } from "./checks/names.ts"
import { checkObjectStorage } from "./checks/objects.ts"
import { checkPorts } from "./checks/ports.ts"
import { checkRelays, type SeenRelay } from "./checks/relays.ts"
import { checkSources } from "./checks/sources.ts"
import { checkStore } from "./checks/store.ts"
import { publicEndpointOf } from "../server/publicEndpoint.ts"
import { listAll, listCompanies, type ServerChoice, serverOf } from "./management.ts"

const describeConfiguration = ({ roles, store, transport }: Configuration): string =>
  [
    "every value is valid",
    `store ${store._tag === "Postgres" ? "PostgreSQL" : store._tag.toLowerCase()}`,
    `roles ${[...roles].join(", ")}`,
    `mail is sent ${transport._tag === "Relay" ? "through a relay" : "directly"}`
  ].join("; ")

/** The sending domains of live accounts and the relays, read from the running server. */
const readServer = Effect.fnUntraced(function* (choice: ServerChoice) {
  const server = yield* serverOf(choice)
  const companies = yield* listCompanies(server)
  const domains = yield* Effect.forEach(companies, ({ live }) =>
    listAll(server, (client, query) => client.domains.list(live.accountId, query))
  )
  const installed = yield* listAll(server, (client, query) => client.relays.list(query))
  const sources = yield* listAll(server, (client, query) => client.sources.list(query))
  const ofCompanies = yield* Effect.forEach(companies, ({ id, name }) =>
    Effect.map(
      listAll(server, (client, query) => client.companyRelays.list(id, query)),
      (found) => found.map((relay) => seenRelay(relay, name))
    )
  )
  const changed = yield* Effect.forEach(companies, ({ live: { accountId } }) =>
    server.manage(async (client) => {
      const { items } = await client.campaigns.list(accountId, { sort: "-updated", pageSize: mostOfAccount })
      return items.map(({ id, name, updatedAt }) => ({ accountId, id, name, updatedAt }))
    })
  )
  const campaigns = yield* Effect.forEach(recounted(changed.flat()), ({ accountId, id, name }) =>
    server.manage(async (client): Promise<RecountedCampaign> => {
      const { equal } = await client.campaigns.recount(accountId, id)
      return { accountId, id, name, isCounted: equal }
    })
  )
  return {
    campaigns,
    domains: domains.flat(),
    relays: [...installed.map((relay) => seenRelay(relay, null)), ...ofCompanies.flat()],
    sources: sources.map(({ address, force, name, state }) => ({
      address,
      name,
      isForced: force,
      mode: state === "Retired" ? ("Retired" as const) : ("Active" as const)
    }))
  }
})

/** A relay in a response. */
const seenRelay = (
  relay: Omit<SeenRelay, "company" | "takesReports" | "lastRefusal" | "lastReportAt"> & {
    readonly feedback: object
    readonly lastRefusal: { readonly at: string; readonly words: string | null } | null
    readonly lastReportAt: string | null
  },
  company: string | null
): SeenRelay => ({
  ...relay,
  company,
  takesReports: Object.values(relay.feedback).some((value) => value !== null && value !== false),
  lastRefusal:
    relay.lastRefusal === null
      ? null
      : { at: Date.parse(relay.lastRefusal.at), words: relay.lastRefusal.words },
  lastReportAt: relay.lastReportAt === null ? null : Date.parse(relay.lastReportAt)
})

const examineAll = Effect.fnUntraced(function* (
  configured: Configuration,
  choice: ServerChoice,
  probe: string,
  asksBlockLists: boolean
) {
  const now = yield* Clock.currentTimeMillis
  const findings: Array<Finding> = [ok("configuration", describeConfiguration(configured))]
  findings.push(yield* Effect.promise(() => checkDataDirectory(configured)))
  findings.push(yield* Effect.promise(() => checkSecretKeySource(configured)))
  const store = yield* checkStore(configured)
  findings.push(...store.findings, yield* checkObjectStorage(configured))
  findings.push(...(yield* Effect.promise(() => checkPorts(configured))))
  const certificate = yield* Effect.promise(() => checkCertificate(configured, now))
  if (certificate !== null) findings.push(certificate)
  const asked = store.inUse ? yield* Effect.result(readServer(choice)) : null
  const read = asked === null ? store : asked._tag === "Success" ? asked.success : null
  const known = read?.domains ?? null
  const { mailHost: hostName } = publicEndpointOf(configured).publicEndpoint
  const [mailHost, domains, transport, validation, sources] = yield* Effect.all(
    [
      checkMailHost(configured, asksBlockLists),
      checkDomains(known ?? []),
      checkTransport(configured, probe),
      checkValidation(configured),
      checkSources(read?.sources ?? [], known ?? [], hostName)
    ],
    { concurrency: "unbounded" }
  ).pipe(
    Effect.provide(
      Layer.fresh(
        Layer.merge(
          Dns.layer({ servers: configured.dnsServers }),
          SecureDns.layer({ servers: configured.dnsServers, validates: configured.dnsValidates })
        )
      )
    )
  )
  findings.push(
    ...mailHost,
    ...(validation === null ? [] : [validation]),
    ...sources,
    ...domains,
    ...(known === null || known.length === 0 ? [] : [checkHostSignature(hostName, known)]),
    ...checkRelays(read?.relays ?? [], now),
    ...checkCampaigns(read?.campaigns ?? [])
  )
  if (asked?._tag === "Failure") {
    findings.push(
      warn(
        "domains",
        `the running server could not be queried: ${asked.failure.message}`,
        "Then run svc doctor again"
      )
    )
  }
  if (known?.length === 0) findings.push(ok("domains", "no live account has a sending domain yet"))
  findings.push(transport)
  return findings
})

/**
 * All findings in order. If the configuration is invalid, that is the only finding.
 *
 * @param asksBlockLists whether to query public block lists for the addresses of the mail host
 */
export const examine = (choice: ServerChoice, probe: string, asksBlockLists: boolean) =>
  configuration.pipe(
    Effect.flatMap((configured) => examineAll(configured, choice, probe, asksBlockLists)),
    Effect.catch((error) =>
      Effect.succeed<ReadonlyArray<Finding>>([
        fail("configuration", error.message, "Correct the variable, then run svc doctor again")
      ])
    )
  )
