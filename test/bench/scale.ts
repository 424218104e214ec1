/**
 * Computes by simulation what an installation needs for a number of emails per day, and where more nodes and databases stop
 * helping: the tables of `docs/scale.md`.
 *
 * @module
 */
import { type Costs, mostEmails, nodesNeeded, type Scenario, simulate } from "./simulation.ts"

/**
 * The costs, measured on Node over PostgreSQL 18 with one CPU of a shared machine. `api` and `sending` print what a node spends,
 * `demand` what the database does. The costs of a bare claim and of a wake-up are assumed.
 */
export const measuredCosts: Costs = {
  acceptNode: 0.19,
  deliverNode: 2.6,
  acceptDatabase: 0.3,
  deliverDatabase: 0.84,
  claimDatabase: 1,
  wakeDatabase: 0.01,
  logBytes: 7_700,
  storedBytes: 4_100
}

/** Machines with 8 CPUs for nodes and 16 for databases, and the other values that all scenarios share. */
export const machines = {
  seed: 20_260_101,
  nodeProcessors: 8,
  databaseProcessors: 16,
  accounts: 1_000,
  providers: 50,
  perSecondOfAddress: 10
}

const million = 1_000_000
const volumes = [1, 10, 100, 200, 500].map((count) => count * million)
/** So many addresses that providers are never the limit. */
export const manyAddresses = 1_000_000
const mostDatabases = 16

/** The smallest installation that keeps up with a volume; null if there is none. */
const installationFor = (emailsPerDay: number): Scenario | null => {
  for (let databases = 1; databases <= mostDatabases; databases *= 2) {
    const scenario = { ...machines, emailsPerDay, databases, sendingAddresses: manyAddresses }
    const nodes = nodesNeeded(scenario, measuredCosts)
    if (nodes === null) continue
    // Enough addresses for the busiest half minute at the largest provider.
    const { providerLoad } = simulate({ ...scenario, nodes, sendingAddresses: 1 }, measuredCosts)
    return { ...scenario, nodes, sendingAddresses: Math.ceil(providerLoad) }
  }
  return null
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US")
const percent = (share: number): string => `${Math.round(100 * share)} %`
const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

/** A row for each volume: the installation it needs, and the load of its parts. */
export const installationRows = (): ReadonlyArray<string> =>
  volumes.map((emailsPerDay) => {
    const scenario = installationFor(emailsPerDay)
    if (scenario === null) return row([count(emailsPerDay), "none found", "", "", "", "", "", ""])
    const day = simulate(scenario, measuredCosts)
    return row([
      count(emailsPerDay),
      scenario.nodes,
      scenario.databases,
      scenario.sendingAddresses,
      percent(day.nodeLoad),
      percent(day.databaseLoad),
      `${(day.logBytesPerSecond / million).toFixed(1)} MB`,
      `${count(day.storedBytes / (1_000 * million))} GB`
    ])
  })

/** A row for each number of nodes with one database: the most emails per day, and the ratio to one node. */
export const nodeRows = (): ReadonlyArray<string> => {
  const most = (nodes: number) =>
    mostEmails({ ...machines, nodes, databases: 1, sendingAddresses: manyAddresses }, measuredCosts)
  const one = most(1)
  return [1, 2, 4, 8, 16, 32].map((nodes) => {
    const emails = most(nodes)
    return row([nodes, count(emails), percent(emails / (nodes * one))])
  })
}

/** A row for each number of databases with 64 nodes: the most emails per day, and the ratio to one database. */
export const databaseRows = (): ReadonlyArray<string> => {
  const most = (databases: number, accounts: number) =>
    mostEmails(
      { ...machines, accounts, nodes: 64, databases, sendingAddresses: manyAddresses },
      measuredCosts
    )
  const [few, many] = [most(1, 1_000), most(1, 10_000)]
  return [1, 2, 4].map((databases) => {
    const [ofFew, ofMany] = [most(databases, 1_000), most(databases, 10_000)]
    return row([
      databases,
      count(ofFew),
      percent(ofFew / (databases * few)),
      count(ofMany),
      percent(ofMany / (databases * many))
    ])
  })
}

/** Prints the tables. */
export const benchScale = async (): Promise<void> => {
  for (const rows of [installationRows(), nodeRows(), databaseRows()]) console.log(`${rows.join("\n")}\n`)
}
